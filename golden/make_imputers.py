"""Writes golden/imputers/*: rows with gaps and how scikit-learn fills them.

Run with Python 3.11+ and the packages named in each file's first line: python golden/make_imputers.py
"""
import os
import warnings
import numpy as np, sklearn
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "imputers")
SKLEARN = f"scikit-learn {sklearn.__version__}, golden/make_imputers.py"
warnings.filterwarnings("ignore")


def write(name, maker, values):
    with open(os.path.join(HERE, name + ".txt"), "w") as f:
        f.write(f"# {maker}\n")
        f.writelines(f"{float(v)!r}\n" for v in np.ravel(values))


r = np.random.RandomState(0)


def rows(n, shares):
    """Correlated columns of different size and place, with the given shares of gaps."""
    X = r.randn(n, 6) @ MIX * np.linspace(0.5, 4.0, 6) + np.linspace(-3, 30, 6)
    X[r.uniform(size=X.shape) < shares] = np.nan
    return X


MIX = np.eye(6) + 0.8 * r.randn(6, 6)
X = rows(90, np.array([0.0, 0.1, 0.3, 0.2, 0.4, 0.25]))
Z = rows(40, np.full(6, 0.3))
Z[0] = np.nan
X, Z = (lambda s: (s.transform(X), s.transform(Z)))(StandardScaler().fit(X))
write("train", f"numpy {np.__version__}, golden/make_imputers.py: 90 rows of 6 columns in standard units", X)
write("new", f"numpy {np.__version__}, golden/make_imputers.py: 40 rows of 6 columns", Z)


def term_by_term(a, b, *, missing_values=np.nan):
    """The default metric without its cancellation: that one goes through products and is good to some 1e-12 only."""
    shared = ~(np.isnan(a) | np.isnan(b))
    return np.sqrt(((a - b)[shared] ** 2).sum() * len(a) / shared.sum()) if shared.any() else np.nan


for weights in ("uniform", "distance"):
    for k in (1, 4, 200):
        for metric, word in (("nan_euclidean", ""), (term_by_term, "_exact")):
            model = KNNImputer(n_neighbors=k, weights=weights, metric=metric).fit(X)
            how = f"KNNImputer(n_neighbors={k}, weights={weights!r}){word}"
            write(f"knn_{weights}_{k}{word}", SKLEARN + f": {how}, both files", np.r_[model.transform(X), model.transform(Z)])
for sweeps in (1, 6):
    model = IterativeImputer(Ridge(alpha=0.7), max_iter=sweeps, tol=0, imputation_order="ascending").fit(X)
    write(f"chained_{sweeps}", SKLEARN + f": IterativeImputer(Ridge(alpha=0.7), max_iter={sweeps}, tol=0), both files", np.r_[model.transform(X), model.transform(Z)])
