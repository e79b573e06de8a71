"""scikit-learn's tree, K-means, Gaussian mixture and lasso on ten sets: prints `set machine threads seconds result deviation`.

everyday.py FOLDER OUT: reads NAME.csv.gz (header, target in the last column) of FOLDER and leaves standardised numbers,
classes and folds in OUT. Results: accuracy over five folds (tree), inertia of the best of ten starts (K-means), mean
log-likelihood of the best of three starts (mixture, full covariances), objective (lasso).
"""

import os
import sys
import time
import warnings

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.linear_model import Lasso
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

warnings.simplefilter("ignore")
SETS = ["letter", "shuttle_statlog", "optdigits", "satimage", "spambase_full", "segment", "vowel", "ionosphere", "wine", "iris"]
source, out = sys.argv[1:3]
sets = open(os.path.join(out, "sets"), "w")


def timed(make, times=3):
    best, kept = float("inf"), None
    for _ in range(times):
        start = time.perf_counter()
        kept = make()
        best = min(best, time.perf_counter() - start)
    return best, kept


for name in SETS:
    table = pd.read_csv(os.path.join(source, name + ".csv.gz"))
    x = table.iloc[:, :-1].to_numpy(np.float64)
    x = x[:, x.std(0) > 0]
    x = np.ascontiguousarray((x - x.mean(0)) / x.std(0))
    y = np.unique(table.iloc[:, -1].astype(str), return_inverse=True)[1].astype(np.uint8)
    folds = np.zeros(len(y), np.uint8)
    for i, (_, test) in enumerate(StratifiedKFold(5, shuffle=True, random_state=0).split(x, y)):
        folds[test] = i
    for part, values in (("x", x), ("y", y), ("folds", folds)):
        values.tofile(os.path.join(out, f"{name}.{part}"))
    k = int(y.max()) + 1
    target = y - y.mean()
    alpha = 0.05 * np.abs(x.T @ target).max() / len(y)
    print(name, *x.shape, k, repr(float(alpha)), file=sets, flush=True)
    for threads in (1, 2):
        say = lambda machine, seconds, result, deviation=0.0: print(
            name, machine, threads, f"{seconds:.5f} {result:.6f} {deviation:.4f}", flush=True
        )
        with threadpool_limits(threads):
            if threads == 1:
                seconds, _ = timed(lambda: DecisionTreeClassifier(random_state=0).fit(x, y))
                make = lambda f: DecisionTreeClassifier(random_state=0).fit(x[folds != f], y[folds != f])
                scores = [np.mean(make(f).predict(x[folds == f]) == y[folds == f]) for f in range(5)]
                say("tree", seconds, np.mean(scores), np.std(scores))
                given = np.asfortranarray(x)
                seconds, model = timed(lambda: Lasso(alpha=alpha, tol=1e-8, max_iter=100000).fit(given, y))
                loss = np.mean((y - model.predict(x)) ** 2) / 2
                say("lasso", seconds, loss + alpha * np.abs(model.coef_).sum())
            best = (float("inf"),)
            for algorithm in ("lloyd", "elkan"):
                make = lambda: KMeans(k, n_init=10, max_iter=300, tol=0, algorithm=algorithm, random_state=0).fit(x)
                seconds, model = timed(make)
                best = min(best, (seconds, model.inertia_))
            say("kmeans", *best)
            make = lambda: GaussianMixture(k, n_init=3, tol=1e-5, max_iter=500, reg_covar=1e-6, random_state=0).fit(x)
            seconds, model = timed(make, 1)
            say("gmm", seconds, model.score(x))
