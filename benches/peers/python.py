"""Seconds of fits by the command line and by the Python package: python.py PROGRAM FOLDER. Best of three each."""
import gzip, json, subprocess, sys, time
import numpy as np
import pellucid

program, folder = sys.argv[1:3]


def idx(name, skip):
    return np.frombuffer(gzip.open(f"{folder}/{name}.gz").read(), np.uint8, offset=skip)


x = idx("train-images-idx3-ubyte", 16).reshape(-1, 784).astype(np.float64)
y = idx("train-labels-idx1-ubyte", 8)
machines = {
    "nearest-mean": pellucid.NearestCentroid(),
    "tree": pellucid.DecisionTreeClassifier(max_depth=8),
    "logistic": pellucid.LogisticRegression(max_iter=10),
}
words = {"tree": ["depth=8"], "logistic": ["steps=10"]}
for name, model in machines.items():
    call = [program, "fit", name, f"{folder}/train-images-idx3-ubyte.gz", "--prepare", "none", "--json", "-q"]
    call += [word for setting in words.get(name, []) for word in ("--set", setting)]
    own = min(json.loads(subprocess.run(call, capture_output=True, check=True).stdout)["seconds"] for _ in range(3))
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        model.fit(x, y)
        taken.append(time.perf_counter() - start)
    over = min(taken) - own
    print(f"{name:13} program {own:.3f} s, Python {min(taken):.3f} s, {over * 1000:+.0f} ms (50 ms + 1 % is {50 + 10 * own:.0f} ms)")
