"""Writes golden/select/*: how scikit-learn and NumPy score the columns of some UCI tables.

Run with Python 3.11+ and the packages named in each file's first line: python golden/make_select.py FOLDER
where FOLDER holds the tables as NAME.csv.gz with a header and the target last. Mutual information by nearest neighbours
depends on a draw; it is the mean over ten. Twenty neighbours are taken instead of the default of three: on sonar (208
rows, 60 weak columns) the better half by three shares only 18 of 30 columns with that by twenty, so three is mostly
chance there (and shares 16 of 30 with bins of equal count).
"""
import os, sys
import numpy as np, pandas as pd, scipy, sklearn
from scipy.stats import rankdata
from sklearn.feature_selection import f_classif, f_regression, mutual_info_classif, mutual_info_regression

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "select")
SKLEARN = f"scikit-learn {sklearn.__version__}, golden/make_select.py"
NUMPY = f"numpy {np.__version__}, scipy {scipy.__version__}, golden/make_select.py"


def write(name, what, values):
    with open(os.path.join(HERE, name + ".txt"), "w") as out:
        out.write(f"# {what}\n" + "".join(f"{float(v)!r}\n" for v in values))


def bins(x, count=10):
    levels = np.unique(x)
    if len(levels) <= count:
        return np.searchsorted(levels, x)
    return np.minimum((count * (rankdata(x) - 0.5) / len(x)).astype(int), count - 1)


def information(a, b):
    """Plain mutual information of two lists of codes, less Miller's bias."""
    joint = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(joint, (a, b), 1)
    p = joint / len(a)
    apart = p.sum(1, keepdims=True) * p.sum(0, keepdims=True)
    there = p > 0
    excess = there.sum() - there.any(1).sum() - there.any(0).sum() + 1
    return (p[there] * np.log(p[there] / apart[there])).sum() - excess / (2 * len(a))


for name in ("wine", "breast_cancer_wisconsin_diagnostic", "sonar", "segment", "concrete"):
    table = pd.read_csv(os.path.join(sys.argv[1], name + ".csv.gz"))
    X, y = table.iloc[:, :-1].to_numpy(float), table.iloc[:, -1]
    values = name == "concrete"
    f = (f_regression if values else f_classif)(X, y)[0]
    mutual = mutual_info_regression if values else mutual_info_classif
    near = np.mean([mutual(X, y, n_neighbors=20, random_state=s) for s in range(10)], axis=0)
    codes = bins(y.to_numpy(float)) if values else pd.factorize(y)[0]
    binned = [information(bins(x), codes) for x in X.T]
    # A constant column has no F value, which is written as 0.
    write(name + "_f", f"{SKLEARN}: F value of each column of {name}", np.nan_to_num(f))
    write(name + "_mi", f"{SKLEARN}: mutual information of each column of {name}, 20 neighbours", near)
    write(name + "_bins", f"{NUMPY}: mutual information of each column of {name}, bins of equal count", binned)
