"""scikit-learn's KNNImputer and IterativeImputer (Ridge) on drawn rows with gaps: prints `method threads seconds`.

imputing.py OUT: leaves the rows and the filled rows in OUT, as doubles row after row.
"""

import os
import sys
import time
import warnings

import numpy as np
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

warnings.filterwarnings("ignore")
out = sys.argv[1]
r = np.random.RandomState(0)
x = r.randn(5000, 20) @ (np.eye(20) + 0.5 * r.randn(20, 20))
x[r.uniform(size=x.shape) < 0.1] = np.nan
x = StandardScaler().fit_transform(x)
x.tofile(os.path.join(out, "rows"))
methods = {
    "knn": lambda: KNNImputer(n_neighbors=5),
    "mice": lambda: IterativeImputer(Ridge(alpha=1.0), max_iter=5, tol=0),
}
for name, make in methods.items():
    for threads in (1, 2):
        best = float("inf")
        with threadpool_limits(threads):
            for _ in range(3):
                start = time.perf_counter()
                filled = make().fit_transform(x)
                best = min(best, time.perf_counter() - start)
        print(name, threads, f"{best:.3f}", flush=True)
    filled.tofile(os.path.join(out, name))
