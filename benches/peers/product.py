"""How fast NumPy's matrix products are: prints `precision size threads GFLOP/s`, the best of several runs."""

import sys
import time

import numpy as np
from threadpoolctl import threadpool_limits

sizes = [int(a) for a in sys.argv[1:]] or [2048, 4096]
rng = np.random.default_rng(1)
for n in sizes:
    for threads in (1, 2):
        for name, kind in (("f32", np.float32), ("f64", np.float64)):
            a, b = rng.random((n, n), dtype=kind), rng.random((n, n), dtype=kind)
            out = np.empty((n, n), dtype=kind)
            best, begin = float("inf"), time.perf_counter()
            with threadpool_limits(threads):
                for i in range(200):
                    start = time.perf_counter()
                    np.matmul(a, b, out=out)
                    best = min(best, time.perf_counter() - start)
                    if i >= 4 and time.perf_counter() - begin > 4:
                        break
            print(name, n, threads, f"{2 * n**3 / best * 1e-9:.1f}", flush=True)
