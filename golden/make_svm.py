"""Makes golden/svm: answers of LIBSVM, of a convex solver, of scikit-learn and of onnxruntime about kernel machines.

Run with Python and the packages named in maker.txt, and the program itself for what it writes:
    PELLUCID=target/debug/pellucid python golden/make_svm.py ../shared/data

drawn.txt: rows of class, value and four numbers. drawn.libsvm, values.libsvm: the same as LIBSVM has it.
libsvm.txt: for each problem, type (-s) and kernel (-t) at -e 1e-10 the objective, rho and decision values.
convex.txt: the same of small problems by clarabel in double precision, with what LIBSVM would call them.
peer-NAME.model, .txt: models of LIBSVM, and decisions (or probabilities) of the rows of drawn.txt.
ours-NAME.model, .txt: models that `pellucid svm-train` wrote, and what LIBSVM says with them.
platt.txt, isotonic.txt: scores and classes, then scikit-learn's calibrated probabilities.
onnx-NAME.onnx, .npz: models of skl2onnx, and ours-NAME.onnx of ours, with labels and scores of onnxruntime.
"""

import importlib.metadata
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np

warnings.filterwarnings("ignore")
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "svm")
SHARED = sys.argv[1] if len(sys.argv) > 1 else "../shared/data"
PELLUCID = os.environ.get("PELLUCID", "target/debug/pellucid")
MAKER = "golden/make_svm.py"
os.makedirs(HERE, exist_ok=True)


def at(name):
    return os.path.join(HERE, name)


def version(name):
    return f"{name} {importlib.metadata.version(name)}"


def line(f, *words):
    f.write(" ".join(w if isinstance(w, str) else repr(float(w)) for w in words) + "\n")


# ---------------------------------------------------------------- data
rng = np.random.default_rng(7)
N, D = 60, 4
classes = np.arange(N) % 3 + 1
X = np.round(rng.normal(size=(N, D)) + np.array([[0, 0, 0, 0], [1.2, 0, 0.5, 0], [0, 1.2, 0, -0.5]])[classes - 1], 3)
y = np.round(np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.1 * rng.normal(size=N), 3)
with open(at("drawn.txt"), "w") as f:
    f.write(f"# numpy {np.__version__}, {MAKER}: class, value, four columns\n")
    for c, v, x in zip(classes, y, X):
        line(f, str(c), v, *x)
for name, targets in (("drawn", classes), ("values", y)):
    with open(at(name + ".libsvm"), "w") as f:
        for t, x in zip(targets, X):
            f.write(f"{t} " + " ".join(f"{i + 1}:{v!r}" for i, v in enumerate(x.tolist())) + "\n")

# ---------------------------------------------------------------- LIBSVM
from libsvm.svmutil import svm_load_model, svm_predict, svm_problem, svm_parameter, svm_read_problem, svm_save_model, svm_train


def kernel(t, A, B, gamma, coef0=0.5, degree=3):
    """Of LIBSVM's kernel t; the sigmoid takes another shift, with which it is positive on sums of zero."""
    G = A @ B.T
    if t == 0:
        return G
    if t == 1:
        return (gamma * G + coef0) ** degree
    if t == 3:
        return np.tanh(0.05 * G - 1.3)
    return np.exp(-gamma * ((A[:, None, :] - B[None, :, :]) ** 2).sum(2))


def trained(targets, rows, flags, own=False):
    """What LIBSVM writes; in a process of its own, so that none of its memory is shared with the rest."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m")
        child = os.fork()
        if child == 0:
            problem = svm_problem(targets, rows, isKernel=own)
            svm_save_model(path, svm_train(problem, svm_parameter(flags + " -q")))
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0, flags
        return open(path).read()


def answered(name, targets, rows):
    """What LIBSVM says with a model file, written beside it; in a process of its own. Its wrapper crashes on predicting
    with nu_svc models here (a bus error, also with its own): there, what the file says is computed by definition."""
    child = os.fork()
    if child == 0:
        model = svm_load_model(at(name + ".model"))
        found, _, decisions = svm_predict(targets, rows, model, "-q" + (" -b 1" if "proba" in name else ""))
        with open(at(name + ".txt"), "w") as f:
            f.write(f"# {version('libsvm-official')}, {MAKER}: label, then decisions or probabilities, a row each\n")
            for a, b in zip(found, decisions):
                line(f, a, *b)
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        return
    print("LIBSVM crashed on", name)
    model = File(open(at(name + ".model")).read(), D)
    gamma = float(model.head["gamma"][0])
    decisions = kernel(2, X, model.vectors, gamma) @ np.array(model.betas()).T - np.array(model.rho)
    with open(at(name + ".txt"), "w") as f:
        f.write(f"# numpy {np.__version__}, {MAKER}: label, then decisions by definition, a row each\n")
        for row in decisions:
            votes = np.zeros(len(model.labels))
            at_pair = 0
            for a in range(len(votes)):
                for b in range(a + 1, len(votes)):
                    votes[a if row[at_pair] > 0 else b] += 1
                    at_pair += 1
            line(f, float(model.labels[int(votes.argmax())]) if model.labels else (row[0] if "svr" in name else np.sign(row[0])), *row)


class File:
    """A model file's numbers."""

    def __init__(self, text, width):
        head, body = text.split("SV\n", 1) if "\nSV\n" not in text else text.split("\nSV\n", 1)
        self.head = {l.split()[0]: l.split()[1:] for l in head.splitlines() if l}
        self.rho = [float(x) for x in self.head["rho"]]
        self.labels = [int(x) for x in self.head.get("label", [])]
        slots = max(len(self.labels) - 1, 1)
        lines = [l.split() for l in body.splitlines() if l.strip()]
        self.coef = np.array([[float(x) for x in l[:slots]] for l in lines])
        self.vectors = np.zeros((len(lines), width))
        for i, l in enumerate(lines):
            for pair in l[slots:]:
                k, v = pair.split(":")
                self.vectors[i, int(k) - 1] = float(v)

    def betas(self):
        """The coefficients of each pair, or the only ones."""
        if not self.labels:
            return [self.coef[:, 0]]
        start = np.r_[0, np.cumsum([int(x) for x in self.head["nr_sv"]])]
        out = []
        for a in range(len(self.labels)):
            for b in range(a + 1, len(self.labels)):
                beta = np.zeros(len(self.coef))
                beta[start[a]:start[a + 1]] = self.coef[start[a]:start[a + 1], b - 1]
                beta[start[b]:start[b + 1]] = self.coef[start[b]:start[b + 1], a]
                out.append(beta)
        return out


def objective(model, s, K, eps, X, targets):
    """The dual objective of what came out, in double precision, pairs summed."""
    total = 0.0
    for beta in model.betas():
        if s == 2:
            beta = beta / beta.sum()
        total += 0.5 * beta @ K @ beta
        if s == 0:
            total -= np.abs(beta).sum()
        if s in (3, 4):
            # Which row a vector was: rows are all different.
            z = np.array([targets[np.flatnonzero((X == v).all(1))[0]] for v in model.vectors])
            total += (eps * np.abs(beta).sum() if s == 3 else 0.0) - z @ beta
    return total


def by_file(path):
    labels, rows = svm_read_problem(path)
    return labels, rows


problems = {"drawn": (by_file(at("drawn.libsvm")), by_file(at("values.libsvm")), D)}
heart = os.path.join(SHARED, "libsvm", "heart_scale")
if os.path.exists(heart):
    problems["heart"] = (by_file(heart), by_file(heart), 13)
with open(at("libsvm.txt"), "w") as f:
    f.write(f"# {version('libsvm-official')}, {MAKER}: -e 1e-10 -r 0.5 -n 0.3 (nu_svc: 0.6) -c 2 -p 0.1 -g 0.2; -t 3: -n 0.3 (nu_svc: 0.8) -r -1.3 -g 0.05\n")
    for name, (forclasses, forvalues, width) in problems.items():
        for s in range(5):
            targets, rows = forvalues if s in (3, 4) else forclasses
            for t in range(4):
                # At 0.3 linear hulls of these classes meet, and there is no margin; the sigmoid is nearly linear, and what is
                # left at 0.6 is near the error of LIBSVM's kernel values.
                nu = (0.8 if t == 3 else 0.6) if s == 1 else 0.3
                flags = f"-s {s} -t {t} -e 1e-10 -n {nu} -c 2 -p 0.1 -m 500 " + ("-r -1.3 -g 0.05" if t == 3 else "-r 0.5 -g 0.2")
                model = File(trained(targets, rows, flags), width)
                points = np.array([[r.get(i + 1, 0.0) for i in range(width)] for r in rows])
                K = kernel(t, model.vectors, model.vectors, 0.2)
                decisions = kernel(t, points, model.vectors, 0.2) @ np.array(model.betas()).T - np.array(model.rho)
                case = (name, str(s), str(t))
                line(f, *case, "objective", objective(model, s, K, 0.1, points, targets))
                line(f, *case, "labels", *[str(l) for l in model.labels])
                line(f, *case, "decisions", *np.ravel(decisions)[:180])

# ---------------------------------------------------------------- a convex solver
import cvxpy as cp

with open(at("convex.txt"), "w") as f:
    f.write(f"# {version('clarabel')} by {version('cvxpy')}, {MAKER}: type, kernel; -g 0.2 -r 0.5 -c 2 -n 0.3 (0.6 for nu_svc) -p 0.1\n")
    n = 40
    rows = classes[:N] != 3
    A = X[rows][:n]
    side = np.where(classes[rows][:n] == 1, 1.0, -1.0)
    z = y[rows][:n]
    tight = dict(solver=cp.CLARABEL, tol_gap_abs=1e-13, tol_gap_rel=1e-13, tol_feas=1e-13, max_iter=500)

    def keep(kind, value, decisions):
        line(f, "convex", kind, str(t), "objective", value)
        line(f, "convex", kind, str(t), "decisions", *decisions)

    def root(K):
        """L with L Lᵀ = K, also where K has no full rank."""
        values, vectors = np.linalg.eigh(K)
        return vectors * np.sqrt(np.maximum(values, 0))

    share = 0.3
    for t in range(3):
        K = kernel(t, A, A, 0.2)
        L = root(K)
        beta = cp.Variable(n)
        sums = [cp.sum(beta) == 0]
        quad = 0.5 * cp.sum_squares(L.T @ beta)
        p = cp.Problem(cp.Minimize(quad - side @ beta), sums + [cp.multiply(side, beta) >= 0, cp.multiply(side, beta) <= 2])
        p.solve(**tight)
        free = (side * beta.value > 1e-5) & (side * beta.value < 2 - 1e-5)
        b = np.mean((side - K @ beta.value)[free])
        keep("0", p.value, K @ beta.value + b)
        # nu: both sides sum to nu n / 2, then brought to margin 1; with 0.3 linear hulls meet.
        half = 0.6 * n / 2
        p = cp.Problem(cp.Minimize(quad), [cp.sum(beta[side > 0]) == half, cp.sum(beta[side < 0]) == -half,
                                           cp.multiply(side, beta) >= 0, cp.multiply(side, beta) <= 1])
        p.solve(**tight)
        size, g = side * beta.value, K @ beta.value

        def edge(sign):
            """The gradient between the bounds, or the middle of what those at the bounds allow."""
            own = side * sign > 0
            free = own & (size > 1e-5) & (size < 1 - 1e-5)
            if free.any():
                return np.mean(g[free])
            return sign * (np.max((sign * g)[own & (size > 0.5)]) + np.min((sign * g)[own & (size < 0.5)])) / 2

        up, low = edge(1), edge(-1)
        r = (up - low) / 2
        keep("1", p.value / r**2, (g - (up + low) / 2) / r)
        alpha = cp.Variable(n)
        p = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(L.T @ alpha)), [cp.sum(alpha) == 1, alpha >= 0, alpha <= 1 / (share * n)])
        p.solve(**tight)
        free = (alpha.value > 1e-6) & (alpha.value < 1 / (share * n) - 1e-6)
        g = K @ alpha.value
        keep("2", p.value, g - np.mean(g[free]))
        up, down = cp.Variable(n, nonneg=True), cp.Variable(n, nonneg=True)
        diff = up - down
        p = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(L.T @ diff) - z @ diff + 0.1 * cp.sum(up + down)),
                       [cp.sum(diff) == 0, up <= 2, down <= 2])
        p.solve(**tight)
        d = diff.value
        free = (np.abs(d) > 1e-5) & (np.abs(d) < 2 - 1e-5)
        b = np.mean((z - K @ d - 0.1 * np.sign(d))[free])
        keep("3", p.value, K @ d + b)
        p = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(L.T @ diff) - z @ diff),
                       [cp.sum(up) == share * 2 * n / 2, cp.sum(down) == share * 2 * n / 2, up <= 2, down <= 2])
        p.solve(**tight)
        d = diff.value
        free = (np.abs(d) > 1e-5) & (np.abs(d) < 2 - 1e-5)
        miss = z - K @ d
        above, below = np.mean(miss[free & (d > 0)]), np.mean(miss[free & (d < 0)])
        keep("4", p.value, K @ d + (above + below) / 2)

# ---------------------------------------------------------------- files
labels, rows = problems["drawn"][0]
values, _ = problems["drawn"][1]
for name, flags in {
    "linear": "-s 0 -t 0", "poly": "-s 0 -t 1 -r 1 -d 2", "rbf": "-s 0 -t 2", "sigmoid": "-s 0 -t 3 -g 0.1", "nu": "-s 1 -n 0.3",
    "one": "-s 2 -n 0.2", "svr": "-s 3", "nusvr": "-s 4", "proba": "-s 0 -b 1", "precomputed": "-s 0 -t 4",
}.items():
    targets = values if "svr" in name else labels
    inputs = rows
    if name == "precomputed":
        K = kernel(2, X, X, 0.3)
        inputs = [dict([(0, i + 1)] + [(j + 1, K[i, j]) for j in range(N)]) for i in range(N)]
        with open(at("precomputed.libsvm"), "w") as f:
            for i in range(N):
                f.write(f"{classes[i]} 0:{i + 1} " + " ".join(f"{j + 1}:{float(v)!r}" for j, v in enumerate(K[i])) + "\n")
    with open(at(f"peer-{name}.model"), "w") as f:
        f.write(trained(targets, inputs, flags, name == "precomputed"))
    answered(f"peer-{name}", targets, inputs)
    ours = at(f"ours-{name}.model")
    data = at({"svr": "values", "nusvr": "values", "precomputed": "precomputed"}.get(name, "drawn") + ".libsvm")
    subprocess.run([PELLUCID, "svm-train", *flags.split(), "-q", data, ours], check=True)
    answered(f"ours-{name}", targets, inputs)

# ---------------------------------------------------------------- calibration
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression

scores = np.round(rng.normal(size=120) * 2, 2)
truth = (scores + rng.normal(size=120) * 1.5 > 0.3).astype(int)
weights = rng.integers(1, 4, size=120).astype(float)
with open(at("platt.txt"), "w") as f:
    f.write(f"# {version('scikit-learn')}, {MAKER}: score, class, weight, probability plain, with weights, isotonic, with weights\n")
    plain = _SigmoidCalibration().fit(scores, truth).predict(scores)
    weighted = _SigmoidCalibration().fit(scores, truth, weights).predict(scores)
    iso = IsotonicRegression(out_of_bounds="clip")
    steps = iso.fit(scores, truth).predict(scores + 0.003)
    steps_weighted = iso.fit(scores, truth, weights).predict(scores + 0.003)
    for row in zip(scores, truth, weights, plain, weighted, steps, steps_weighted):
        line(f, *row)

# ---------------------------------------------------------------- ONNX
import onnxruntime
from skl2onnx import to_onnx
from sklearn.svm import SVC, SVR, NuSVC, OneClassSVM

single = X.astype(np.float32)


def run(model):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    return dict(zip(names, session.run(None, {session.get_inputs()[0].name: single})))


def keep_onnx(name, blob, label, scores):
    with open(at(name + ".onnx"), "wb") as f:
        f.write(blob)
    with open(at(name + ".txt"), "w") as f:
        f.write(f"# {version('onnxruntime')}, {version('skl2onnx')}, {MAKER}: label, then scores, a row each\n")
        for a, b in zip(label, np.asarray(scores).reshape(N, -1)):
            line(f, str(a), *b)


two = classes != 3
for name, model, targets, mask in [
    ("two", SVC(gamma=0.3), classes, two), ("three", SVC(gamma=0.3), classes, two | ~two),
    ("pairs", SVC(gamma=0.3, decision_function_shape="ovo"), classes, two | ~two),
    ("linear", SVC(kernel="linear"), classes, two | ~two), ("poly", SVC(kernel="poly", gamma=0.2, coef0=1), classes, two | ~two),
    ("sigmoid", SVC(kernel="sigmoid", gamma=0.1), classes, two | ~two), ("nu", NuSVC(nu=0.3), classes, two | ~two),
    ("proba", SVC(gamma=0.3, probability=True, random_state=1), classes, two | ~two),
    ("proba2", SVC(gamma=0.3, probability=True, random_state=1), classes, two),
    ("svr", SVR(gamma=0.3), y, two | ~two), ("one", OneClassSVM(nu=0.2, gamma=0.3), y, two | ~two),
]:
    model.fit(single[mask], targets[mask])
    blob = to_onnx(model, single[:1], options={"zipmap": False} if isinstance(model, (SVC, NuSVC)) else None).SerializeToString()
    out = run(blob)
    keep_onnx(f"onnx-{name}", blob, np.ravel(out.get("label", np.zeros(N))), out.get("probabilities", out.get("scores", out.get("variable"))))
for name, data in (("rbf", "drawn"), ("poly", "drawn"), ("linear", "drawn"), ("sigmoid", "drawn"), ("proba", "drawn"), ("svr", "values")):
    target = at(f"ours-{name}.onnx")
    subprocess.run([PELLUCID, "convert", at(f"ours-{name}.model"), target, "--on", at(data + ".libsvm")], check=True)
    out = run(target)
    blob = open(target, "rb").read()
    keep_onnx(f"ours-onnx-{name}", blob, np.ravel(out.get("label", np.zeros(N))), out["scores"])
    os.remove(target)

with open(at("maker.txt"), "w") as f:
    names = ["libsvm-official", "clarabel", "cvxpy", "scikit-learn", "skl2onnx", "onnx", "onnxruntime", "numpy"]
    f.write(f"{MAKER}: " + ", ".join(version(n) for n in names) + "\n")
