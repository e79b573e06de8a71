"""Writes golden/measures/labels*: drawn label sets and scores, and the measures of scikit-learn and napkinXC.

Run with Python 3.11+, scikit-learn and napkinxc: python golden/make_label_measures.py
Each file: a line that names its makers; `rows labels`; a line of training frequencies, `rows` last; for each row a line of its
labels and one of its scores; then `name value` lines. No two scores of a row are equal and every label is met.
"""
import os
import numpy as np, sklearn
from importlib.metadata import version
from napkinxc import metrics as x
from sklearn import metrics as m

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "measures")
MAKER = f"# scikit-learn {sklearn.__version__} and napkinxc {version('napkinxc')}, golden/make_label_measures.py\n"
r = np.random.RandomState(18)


def sets(name, n, k, most):
    y = np.zeros((n, k), int)
    for i in range(n):
        y[i, r.choice(k, r.randint(1, most + 1), replace=False)] = 1
    y[np.arange(k) % n, np.arange(k)] = 1
    s = np.round(r.randn(n, k) + 1.5 * y - 1.0, 6) + 1e-8 * r.permutation(n * k).reshape(n, k)
    train = (r.zipf(1.6, k) % 500).astype(float)
    rows = int(train.max()) + 200
    c = (np.log(rows) - 1) * 2.5**0.55
    inverse = 1 + c * (train + 1.5) ** -0.55
    q = (s > 0).astype(int)
    at = dict(k=10 if k >= 10 else 5)
    p_at, r_at = x.precision_at_k(y, s, **at), x.recall_at_k(y, s, **at)
    psp, psn = x.psprecision_at_k(y, s, inverse, **at), x.psndcg_at_k(y, s, inverse, **at)
    out = {f"precision_at_{i}": p_at[i - 1] for i in (1, 3, 5)}
    out |= {f"ndcg_at_{i}": m.ndcg_score(y, s, k=i) for i in (3, 5)}
    out |= {f"recall_at_{i}": r_at[i - 1] for i in (5, 10) if i <= k}
    out |= {f"psp_at_{i}": psp[i - 1] for i in (1, 3, 5)}
    out |= {f"psndcg_at_{i}": psn[i - 1] for i in (3, 5)}
    out |= {
        "coverage_error": m.coverage_error(y, s),
        "f1_micro": m.f1_score(y, q, average="micro"),
        "f1_macro": m.f1_score(y, q, average="macro", zero_division=0),
        "subset_accuracy": m.accuracy_score(y, q),
        "hamming_loss": m.hamming_loss(y, q),
    }
    with open(os.path.join(HERE, name + ".txt"), "w") as f:
        f.write(MAKER + f"{n} {k}\n" + " ".join(str(int(t)) for t in train) + f" {rows}\n")
        for i in range(n):
            f.write(" ".join(map(str, np.flatnonzero(y[i]))) + "\n")
            f.write(" ".join(repr(float(v)) for v in s[i]) + "\n")
        f.writelines(f"{a} {float(b)!r}\n" for a, b in out.items())


sets("labels0", 12, 6, 3)
sets("labels1", 60, 25, 6)
sets("labels2", 40, 15, 12)
