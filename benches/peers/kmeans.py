"""scikit-learn's K-means (Lloyd and Elkan, the faster counts), at most 50 steps: prints `data k threads seconds steps inertia`.

kmeans.py MNIST OUT: reads the training images of the folder MNIST and leaves data and start centres in OUT.
"""

import gzip
import os
import sys
import time

import numpy as np
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

source, out = sys.argv[1:3]
with gzip.open(os.path.join(source, "train-images-idx3-ubyte.gz")) as f:
    mnist = np.frombuffer(f.read(), np.uint8, offset=16).reshape(-1, 784)[:20000].astype(np.float64)
r = np.random.RandomState(0)
clouds = 6 * r.uniform(0, 4, (60, 10))[r.randint(0, 60, 200000)] + 2 * r.randn(200000, 10)
for name, x in (("mnist", mnist), ("clouds", clouds)):
    x.tofile(os.path.join(out, name))
    for k in (10, 100):
        start = x[r.permutation(len(x))[:k]]
        start.tofile(os.path.join(out, f"{name}-{k}"))
        for threads in (1, 2):
            best = (float("inf"),)
            with threadpool_limits(threads):
                for algorithm in ("lloyd", "elkan"):
                    for _ in range(2):
                        begin = time.perf_counter()
                        model = KMeans(k, init=start, n_init=1, max_iter=50, tol=0, algorithm=algorithm).fit(x)
                        best = min(best, (time.perf_counter() - begin, model.n_iter_, model.inertia_, algorithm))
            print(name, k, threads, f"{best[0]:.2f}", best[1], f"{best[2]:.6e}", best[3], flush=True)
