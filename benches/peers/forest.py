"""scikit-learn's random forest, 100 trees, default settings: prints `set threads fit-seconds predict-seconds accuracy deviation`.

forest.py FOLDER OUT: reads NAME.csv.gz (header, class in the last column) of FOLDER and leaves numbers and folds in OUT.
Accuracy is the mean over five folds, deviation their standard deviation.
"""

import os
import sys
import time

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold

SETS = ["letter", "shuttle_statlog", "optdigits", "satimage", "spambase_full", "segment", "vowel", "ionosphere", "sonar", "glass"]
source, out = sys.argv[1:3]
sets = open(os.path.join(out, "sets"), "w")
for name in SETS:
    table = pd.read_csv(os.path.join(source, name + ".csv.gz"))
    x = np.ascontiguousarray(table.iloc[:, :-1].to_numpy(np.float64))
    y = np.unique(table.iloc[:, -1].astype(str), return_inverse=True)[1].astype(np.uint8)
    folds = np.zeros(len(y), np.uint8)
    for i, (_, test) in enumerate(StratifiedKFold(5, shuffle=True, random_state=0).split(x, y)):
        folds[test] = i
    for part, values in (("x", x), ("y", y), ("folds", folds)):
        values.tofile(os.path.join(out, f"{name}.{part}"))
    print(name, *x.shape, y.max() + 1, file=sets, flush=True)
    for threads in (1, 2):
        make = lambda seed: RandomForestClassifier(100, n_jobs=threads, random_state=seed)
        fit = predict = float("inf")
        for seed in range(3):
            start = time.perf_counter()
            model = make(seed).fit(x, y)
            fit = min(fit, time.perf_counter() - start)
            start = time.perf_counter()
            model.predict(x)
            predict = min(predict, time.perf_counter() - start)
        scores = [np.mean(make(0).fit(x[folds != f], y[folds != f]).predict(x[folds == f]) == y[folds == f]) for f in range(5)]
        print(name, threads, f"{fit:.4f} {predict:.4f} {np.mean(scores):.4f} {np.std(scores):.4f}", flush=True)
