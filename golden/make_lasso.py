"""Writes golden/linear/*_lasso_*, *_net_* and *_net_path: the answers of scikit-learn on the data of make_linear.py.

Run with Python 3.11+ and the packages named in each file's first line: python golden/make_lasso.py
"""
import os
import numpy as np, sklearn
from sklearn.linear_model import ElasticNet, Lasso, enet_path

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "linear")
SKLEARN = f"scikit-learn {sklearn.__version__}, golden/make_lasso.py"


def write(name, maker, values):
    with open(os.path.join(HERE, name + ".txt"), "w") as f:
        f.write(f"# {maker}\n")
        f.writelines(f"{float(v)!r}\n" for v in np.ravel(values))


exact = dict(tol=1e-14, max_iter=10_000_000)
for name, d in (("tall", 6), ("wide", 20)):
    rows = np.loadtxt(os.path.join(HERE, name + ".txt")).reshape(-1, d + 2)
    X, w, y = rows[:, :d], rows[:, d], rows[:, d + 1]
    for alpha in (0.05, 0.5):
        for weights, mark in ((None, ""), (w, "_weighted")):
            model = Lasso(alpha=alpha, **exact).fit(X, y, sample_weight=weights)
            write(f"{name}_lasso_{alpha:g}{mark}", SKLEARN + ": weights, then offset", np.r_[model.coef_, model.intercept_])
            model = ElasticNet(alpha=alpha, l1_ratio=0.3, **exact).fit(X, y, sample_weight=weights)
            write(f"{name}_net_{alpha:g}{mark}", SKLEARN + ": L1 share 0.3, weights, then offset", np.r_[model.coef_, model.intercept_])
    model = Lasso(alpha=0.5, fit_intercept=False, **exact).fit(X, y)
    write(f"{name}_lasso_plain", SKLEARN + ": penalty 0.5, weights without an offset", model.coef_)
    alphas, weights, _ = enet_path(X - X.mean(0), y - y.mean(), l1_ratio=0.7, eps=1e-2, alphas=8, **exact)
    write(f"{name}_net_path", SKLEARN + ": L1 share 0.7, penalties, then weights penalty by penalty", np.r_[alphas, weights.T.ravel()])
