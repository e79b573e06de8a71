"""Makes golden/svm/one_class.txt and one_class.libsvm: thresholds of LIBSVM's one-class SVM at many row counts.

Run with Python and libsvm-official:
    python golden/make_one_class.py

one_class.libsvm: 846 rows of two columns. one_class.txt: for the first n of them, nu and kernel (-t, with -g 0.5 -r 1 -d 2) at -e 1e-9:
rho as the file of the model has it, the number of rows below it by more than 1e-4, and the sum of the decisions.
n = 846 with nu = 0.1 is a case where dividing by nu n and multiplying again does not give 1 back.
"""

import importlib.metadata
import os

import numpy as np
from libsvm.svmutil import svm_parameter, svm_predict, svm_problem, svm_train

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "svm")
rng = np.random.default_rng(846)
X = np.round(rng.normal(size=(846, 2)) * [1.0, 0.7] + (np.arange(846) % 3 == 0)[:, None] * 2.0, 3)
rows = [{1: float(a), 2: float(b)} for a, b in X]
with open(os.path.join(HERE, "one_class.libsvm"), "w") as f:
    for r in rows:
        f.write(f"1 1:{r[1]!r} 2:{r[2]!r}\n")
with open(os.path.join(HERE, "one_class.txt"), "w") as f:
    f.write(f"# libsvm-official {importlib.metadata.version('libsvm-official')}, golden/make_one_class.py: rows, nu, kernel, rho, rows outside, sum of decisions\n")
    for n in (57, 114, 423, 846):
        for nu in (0.05, 0.1, 0.25):
            for t in (1, 2):
                problem = svm_problem([1.0] * n, rows[:n])
                model = svm_train(problem, svm_parameter(f"-s 2 -t {t} -g 0.5 -r 1 -d 2 -n {nu} -e 1e-9 -q"))
                _, _, decisions = svm_predict([1.0] * n, rows[:n], model, "-q")
                values = [d[0] for d in decisions]
                outside = sum(v < -1e-4 for v in values)
                f.write(f"{n} {nu} {t} {model.rho[0]!r} {outside} {sum(values)!r}\n")
