"""Writes golden/linear_svm/*: drawn rows, and the optima of linear support vector machines by a convex solver.

Run with Python 3.11+ and the packages named in each file's first line: python golden/make_linear_svm.py

drawn.txt: for each row its class, value, weight, labels (a 0 or 1 each) and columns.
NAME.txt: the least objective of a problem, then the scores of the rows, row after row.
"""

import importlib.metadata
import os

import cvxpy as cp
import numpy as np

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "linear_svm")
MAKER = f"clarabel {importlib.metadata.version('clarabel')} by cvxpy {cp.__version__}, golden/make_linear_svm.py"
TIGHT = dict(tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12, max_iter=500)
os.makedirs(HERE, exist_ok=True)


def write(name, maker, values):
    with open(os.path.join(HERE, name + ".txt"), "w") as f:
        f.write(f"# {maker}\n")
        f.writelines(f"{float(v)!r}\n" for v in np.ravel(values))


r = np.random.RandomState(5)
N, D, K = 24, 4, 4
classes = np.arange(N) % K
X = np.round(r.randn(N, D) + 0.9 * np.eye(K, D)[classes], 3)
values = np.round(X @ [1.0, -0.5, 0.3, 0.0] + 0.5 * r.randn(N), 3)
weights = np.round(r.uniform(0.3, 2.5, N), 3)
# Some rows have no label, some several; every label has rows.
labels = (r.uniform(size=(N, K)) < 0.3) | (np.eye(K, dtype=bool)[classes] & (np.arange(N) % 5 != 0)[:, None])
write("drawn", f"numpy {np.__version__}, golden/make_linear_svm.py: {N} rows of class, value, weight, {K} labels, {D} columns",
      np.c_[classes, values, weights, labels, X])


def solved(name, objective, constraints, scores):
    problem = cp.Problem(cp.Minimize(objective), constraints)
    problem.solve(solver=cp.CLARABEL, **TIGHT)
    assert problem.status == cp.OPTIMAL, (name, problem.status)
    write(name, MAKER, np.r_[problem.value, np.ravel(scores.value)])


def rows(intercept):
    return np.c_[X, np.ones(N)] if intercept else X


def h(z, squared):
    return cp.square(cp.pos(z)) if squared else cp.pos(z)


def of_classes(name, form, c, margin=1.0, squared=False, intercept=True, cost=np.ones(N)):
    A = rows(intercept)
    W = cp.Variable((A.shape[1], K))
    F = A @ W
    total = 0
    for i, y in enumerate(classes):
        rest = [k for k in range(K) if k != y]
        relative = [h(1 - (F[i, y] - F[i, k]) / margin, squared) for k in rest]
        below, own = [h(1 + F[i, k], squared) for k in rest], h(1 - F[i, y], squared)
        total += c * cost[i] * {
            "ww": lambda: sum(relative), "cs": lambda: cp.maximum(*relative), "llw": lambda: sum(below),
            "mmr": lambda: own, "adm": lambda: cp.maximum(*below), "ats": lambda: own + sum(below),
            "atm": lambda: cp.maximum(own, *below), "ovr": lambda: own + sum(below),
        }[form]()
    tied = [] if form in ("ww", "cs", "ovr") else [cp.sum(W, axis=1) == 0]
    solved(name, 0.5 * cp.sum_squares(W) + total, tied, F)


for form in ("ww", "cs", "llw", "mmr", "adm", "ats", "atm", "ovr"):
    of_classes(form, form, 0.7)
    of_classes(form + "_plain", form, 3.0, margin=2.0, intercept=False, cost=weights)
for form in ("ww", "llw", "mmr", "ats", "ovr"):
    of_classes(form + "_squared", form, 0.4, squared=True)

# Logistic loss: every class against the rest; and two classes as one problem.
A = rows(True)
W = cp.Variable((A.shape[1], K))
signs = 2.0 * np.eye(K)[classes] - 1
F = A @ W
solved("ovr_logistic", 0.5 * cp.sum_squares(W) + 0.7 * cp.sum(cp.logistic(-cp.multiply(signs, F))), [], F)
w = cp.Variable(A.shape[1])
sign = np.where(classes % 2 == 1, 1.0, -1.0)
for name, loss in (("hinge", lambda z: cp.pos(1 - z)), ("squared", lambda z: cp.square(cp.pos(1 - z))),
                   ("logistic", lambda z: cp.logistic(-z))):
    f = A @ w
    both = cp.vstack([-f, f]).T
    solved("two_" + name, 0.5 * cp.sum_squares(w) + 0.7 * cp.sum(loss(cp.multiply(sign, f))), [], both)

# Label sets: one against the rest, and every label of a row against every one it lacks (no intercepts, which cancel).
for name, squared in (("sets_ovr", False), ("sets_ovr_squared", True)):
    W = cp.Variable((A.shape[1], K))
    F = A @ W
    signs = 2.0 * labels - 1
    solved(name, 0.5 * cp.sum_squares(W) + 0.7 * cp.sum(h(1 - cp.multiply(signs, F), squared)), [], F)
for name, squared in (("sets_ww", False), ("sets_ww_squared", True)):
    W = cp.Variable((D, K))
    F = X @ W
    pairs = [h(1 - (F[i, y] - F[i, k]), squared)
             for i in range(N) for y in range(K) if labels[i, y] for k in range(K) if not labels[i, k]]
    solved(name, 0.5 * cp.sum_squares(W) + 0.7 * sum(pairs), [], F)

# Regression with a tube.
for name, square in (("svr", False), ("svr_squared", True)):
    w = cp.Variable(A.shape[1])
    f = A @ w
    errors = cp.pos(cp.abs(f - values) - 0.2)
    solved(name, 0.5 * cp.sum_squares(w) + 1.5 * cp.sum(cp.multiply(weights, cp.square(errors) if square else errors)), [], f)
