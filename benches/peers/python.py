"""Seconds of fits and predictions by the command line and by the Python package: python.py PROGRAM FOLDER.

Both sides work in turn on the same rows and threads; the program's own time is without reading and writing. The fastest
of five rounds counts.
"""
import gzip, json, os, subprocess, sys, tempfile, time
import numpy as np
import pellucid

program, folder = sys.argv[1:3]


def idx(name, skip):
    return np.frombuffer(gzip.open(f"{folder}/{name}.gz").read(), np.uint8, offset=skip)


x = idx("train-images-idx3-ubyte", 16).reshape(-1, 784).astype(np.float32)
# Bytes become the same single-precision numbers as on the command line, where that is reading.
y = idx("train-labels-idx1-ubyte", 8)
machines = {
    "nearest-mean": pellucid.NearestCentroid(),
    "tree": pellucid.DecisionTreeClassifier(max_depth=8),
}
words = {"tree": ["depth=8"]}
def program_says(*words):
    return json.loads(subprocess.run([program, *words, "--json", "-q"], capture_output=True, check=True).stdout)["seconds"]


def ours(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def told(name, what, own, python):
    own, python = min(own), min(python)
    over, most = 1000 * (python - own), 50 + 10 * own
    print(f"{name:13} {what:8} program {own:8.3f} s  Python {python:8.3f} s  {over:+6.0f} ms of at most {most:.0f}")


images = f"{folder}/train-images-idx3-ubyte.gz"
with tempfile.TemporaryDirectory() as kept:
    file, out = os.path.join(kept, "m.pel"), os.path.join(kept, "p.csv")
    for name, model in machines.items():
        call = ["fit", name, images, "--prepare", "none", "-o", file]
        call += [word for setting in words.get(name, []) for word in ("--set", setting)]
        times = [[], [], [], []]
        for _ in range(5):
            times[0].append(program_says(*call))
            times[1].append(ours(lambda: model.fit(x, y)))
            times[2].append(program_says("predict", file, images, "-o", out))
            times[3].append(ours(lambda: model.predict(x)))
        told(name, "fit", *times[:2])
        told(name, "predict", *times[2:])
