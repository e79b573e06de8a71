"""scikit-learn's lasso at a tight gap, one thread: prints `set seconds relative-gap columns-used objective`.

lasso.py OUT: draws the data and leaves them in OUT.
"""

import os
import sys
import time

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import Lasso
from threadpoolctl import threadpool_limits

out = sys.argv[1]
r = np.random.RandomState(0)
sets = open(os.path.join(out, "sets"), "w")


def keep(name, part, values):
    np.ascontiguousarray(values, np.float64).tofile(os.path.join(out, f"{name}.{part}"))


def correlated(n, d):
    x = r.randn(n, d)
    for j in range(1, d):
        x[:, j] = 0.7 * x[:, j - 1] + 0.5 * x[:, j]
    return x


tall, wide = correlated(20000, 200), correlated(500, 5000)
sparse = sp.random(20000, 3000, 0.01, "csr", random_state=r, data_rvs=lambda n: r.rand(n) + 0.5)
sparse.sort_indices()
for name, x in (("tall", tall), ("wide", wide), ("sparse", sparse)):
    n, d = x.shape
    weights = np.zeros(d)
    weights[r.permutation(d)[: d // 20]] = r.randn(d // 20)
    y = x @ weights + 0.5 * r.randn(n) + 2.0
    keep(name, "y", y)
    if sp.issparse(x):
        keep(name, "x", x.data), keep(name, "ids", x.indices), keep(name, "starts", x.indptr)
    else:
        keep(name, "x", x)
    centred = y - y.mean()
    top = np.abs(x.T @ centred).max() / n
    for share in (0.1, 0.01):
        alpha, tolerance = share * top, 1e-8
        given = x.tocsc() if sp.issparse(x) else np.asfortranarray(x)
        best = float("inf")
        with threadpool_limits(1):
            for _ in range(3):
                model = Lasso(alpha=alpha, tol=tolerance, max_iter=100000)
                start = time.perf_counter()
                model.fit(given, y)
                best = min(best, time.perf_counter() - start)
        loss = np.mean((y - model.predict(given)) ** 2) / 2
        objective = loss + alpha * np.abs(model.coef_).sum()
        gap = model.dual_gap_ / (np.mean(centred**2) / 2)
        print(name, f"{best:.4f} {gap:.1e} {np.count_nonzero(model.coef_)} {objective:.9f}", flush=True)
        print(name, n, d, repr(float(alpha)), tolerance, file=sets, flush=True)
