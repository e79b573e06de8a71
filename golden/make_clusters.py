"""Writes golden/clusters/*: data and the answers of SciPy and scikit-learn.

Run with Python 3.11+ and the packages named in each file's first line: python golden/make_clusters.py
"""
import os
import warnings
import numpy as np, scipy, sklearn
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.mixture import GaussianMixture

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clusters")
SCIPY = f"scipy {scipy.__version__}, golden/make_clusters.py"
SKLEARN = f"scikit-learn {sklearn.__version__}, golden/make_clusters.py"
warnings.filterwarnings("ignore")


def write(name, maker, values):
    with open(os.path.join(HERE, name + ".txt"), "w") as f:
        f.write(f"# {maker}\n")
        f.writelines(f"{float(v)!r}\n" for v in np.ravel(values))


r = np.random.RandomState(0)
X = np.concatenate([r.randn(30, 3) * s + c for s, c in ((1.0, (0, 0, 0)), (0.5, (4, 1, 0)), (1.5, (-1, 5, 2)))])
write("data", f"numpy {np.__version__}, golden/make_clusters.py: 90 rows of 3 coordinates", X)
for method in ("single", "average", "complete", "ward"):
    Z = linkage(X, method)
    write(f"{method}_merges", SCIPY + ": left, right, height, size of each merge", Z)
    write(f"{method}_cut", SCIPY + ": five clusters", fcluster(Z, 5, "maxclust"))

# Eight steps from fixed means, equal shares and unit variances.
means = X[[0, 30, 60, 75]]
for form, theirs, precisions in (("isotropic", "spherical", np.ones(4)), ("diagonal", "diag", np.ones((4, 3))), ("full", "full", np.array([np.eye(3)] * 4))):
    for steps in (1, 8):
        model = GaussianMixture(4, covariance_type=theirs, tol=0, reg_covar=0, max_iter=steps, weights_init=np.full(4, 0.25), means_init=means, precisions_init=precisions).fit(X)
        write(f"{form}_{steps}", SKLEARN + f": log density of each row after {steps} steps, then the means", np.r_[model.score_samples(X), np.ravel(model.means_)])
