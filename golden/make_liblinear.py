"""Makes golden/liblinear: answers of LIBLINEAR about linear machines.

Run with Python and liblinear-official, and the program itself for what it writes:
    PELLUCID=target/debug/pellucid python golden/make_liblinear.py

Rows are those of golden/svm: drawn.libsvm (three classes) and values.libsvm; two.libsvm here has two of the classes as -1
(which comes first) and +1, pair.libsvm the same as 7 and 3.
peer-NAME.model, .txt: models of LIBLINEAR at -e 1e-10, and for the first rows the label, then decisions (or probabilities).
ours-NAME.model, .txt: models that `pellucid linear-train` wrote at -e 1e-10, and what LIBLINEAR says with them.
"""

import importlib.metadata
import os
import subprocess

from liblinear.liblinearutil import load_model, predict, problem, parameter, save_model, svm_read_problem, train

FOLDER = os.path.dirname(os.path.abspath(__file__))
HERE = os.path.join(FOLDER, "liblinear")
PELLUCID = os.environ.get("PELLUCID", "target/debug/pellucid")
BY = f"liblinear-official {importlib.metadata.version('liblinear-official')}, golden/make_liblinear.py"
ROWS = 20
os.makedirs(HERE, exist_ok=True)


def at(name):
    return os.path.join(HERE, name)


# Two of the three classes, as -1 and +1 and as 7 and 3; the second class comes first.
with open(os.path.join(FOLDER, "svm", "drawn.libsvm")) as f:
    rows = [l.split(" ", 1) for l in f]
kept = [(c, rest) for c, rest in rows if c in "12"]
first = next(i for i, r in enumerate(kept) if r[0] == "2")
kept = kept[first:] + kept[:first]
for name, words in (("two", {"2": "-1", "1": "+1"}), ("pair", {"2": "7", "1": "3"})):
    with open(at(name + ".libsvm"), "w") as f:
        f.writelines(f"{words[c]} {rest}" for c, rest in kept)

DATA = {
    "three": os.path.join(FOLDER, "svm", "drawn.libsvm"),
    "value": os.path.join(FOLDER, "svm", "values.libsvm"),
    "two": at("two.libsvm"),
    "pair": at("pair.libsvm"),
}
CASES = {f"three-s{s}": ("three", f"-s {s} -c 0.1") for s in range(8)}
CASES |= {f"three-s{s}-bias": ("three", f"-s {s} -c 0.1 -B 2") for s in (0, 1, 3, 4)}
CASES |= {f"two-s{s}": ("two", f"-s {s} -c 0.1 -B 1") for s in (0, 1, 3, 4, 6, 7)}
CASES |= {f"pair-s{s}": ("pair", f"-s {s} -c 0.1 -w7 2 -w3 0.5") for s in (2, 3)}
CASES |= {f"value-s{s}": ("value", f"-s {s} -p 0.2 -c 0.1 -B 1") for s in (11, 12, 13)}
CASES |= {"one-s21": ("two", "-s 21 -n 0.3")}


def answered(name, labels, points, model):
    logistic = model.param.solver_type in (0, 6, 7)
    found, _, decisions = predict(labels[:ROWS], points[:ROWS], model, "-q")
    shares = predict(labels[:ROWS], points[:ROWS], model, "-q -b 1")[2] if logistic else [[]] * ROWS
    with open(at(name + ".txt"), "w") as f:
        f.write(f"# {BY}: label, decisions{', probabilities' if logistic else ''}, a row each\n")
        for label, decision, share in zip(found, decisions, shares):
            f.write(" ".join(repr(float(x)) for x in [label, *decision, *share]) + "\n")


for name, (data, flags) in CASES.items():
    labels, points = svm_read_problem(DATA[data])
    # Tight, so that the optimum and not the way decides; -s 21 is no rival of ours and stays as it is.
    flags += "" if "s21" in name else " -e 1e-10"
    model = train(problem(labels, points, bias=2 if "-B 2" in flags else 1 if "-B 1" in flags else -1), parameter(flags + " -q"))
    save_model(at(f"peer-{name}.model"), model)
    answered(f"peer-{name}", labels, points, load_model(at(f"peer-{name}.model")))
    if not any(flags.startswith(f"-s {s} ") for s in (5, 6, 21)):
        ours = at(f"ours-{name}.model")
        subprocess.run([PELLUCID, "linear-train", *flags.split(), "-q", DATA[data], ours], check=True)
        answered(f"ours-{name}", labels, points, load_model(ours))
