"""Writes golden/measures/*: drawn targets and scores, and scikit-learn's measures of them.

Run with Python 3.11+ and scikit-learn: python golden/make_measures.py
Each file: a line that names its maker; a line of numbers `rows classes`; rows of `label weight p_0 ... p_k`;
then `name value` lines.
"""
import os
import numpy as np, sklearn
from sklearn import metrics as m

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "measures")
MAKER = f"# scikit-learn {sklearn.__version__}, golden/make_measures.py\n"
r = np.random.RandomState(0)


def classes(name, n, k):
    y = np.r_[np.arange(k), r.randint(0, k, n - k)]
    logits = r.randn(n, k) + 1.2 * np.eye(k)[y]
    p = np.exp(np.round(logits, 1))          # rounding brings ties
    p /= p.sum(1, keepdims=True)
    w = r.uniform(0.1, 2.0, n)
    s = dict(sample_weight=w)
    q = p.argmax(1)
    out = {
        "accuracy": m.accuracy_score(y, q, **s),
        "bac": m.balanced_accuracy_score(y, q, **s),
        "precision_macro": m.precision_score(y, q, average="macro", zero_division=0, **s),
        "recall_macro": m.recall_score(y, q, average="macro", zero_division=0, **s),
        "f1_macro": m.f1_score(y, q, average="macro", zero_division=0, **s),
        "f1_weighted": m.f1_score(y, q, average="weighted", zero_division=0, **s),
        "log_loss": m.log_loss(y, p, **s),
    }
    if k == 2:
        score = np.log(p[:, 1]) - np.log(p[:, 0])
        out |= {
            "precision": m.precision_score(y, q, **s),
            "recall": m.recall_score(y, q, **s),
            "specificity": m.recall_score(y, q, pos_label=0, **s),
            "f1": m.f1_score(y, q, **s),
            "auc": m.roc_auc_score(y, p[:, 1], **s),
            "average_precision": m.average_precision_score(y, p[:, 1], **s),
            "brier": m.brier_score_loss(y, p[:, 1], **s),
        }
    else:
        out["auc_one_vs_rest"] = np.mean([m.roc_auc_score(y == c, p[:, c], **s) for c in range(k)])
    with open(os.path.join(HERE, name + ".txt"), "w") as f:
        f.write(MAKER + f"{n} {k}\n")
        for i in range(n):
            f.write(" ".join([str(y[i]), repr(float(w[i]))] + [repr(float(x)) for x in p[i]]) + "\n")
        f.writelines(f"{a} {float(b)!r}\n" for a, b in out.items())


def values(name, n, k):
    y = r.randn(n, k) * [1.0, 20.0, 0.1][:k]
    q = y + r.randn(n, k) * [0.5, 5.0, 0.2][:k]
    w = r.uniform(0.1, 2.0, n)
    s = dict(sample_weight=w)
    out = {"mse": m.mean_squared_error(y, q, **s), "mae": m.mean_absolute_error(y, q, **s), "r2": m.r2_score(y, q, **s)}
    with open(os.path.join(HERE, name + ".txt"), "w") as f:
        f.write(MAKER + f"{n} {k}\n")
        for i in range(n):
            f.write(" ".join(repr(float(x)) for x in [*y[i], w[i], *q[i]]) + "\n")
        f.writelines(f"{a} {float(b)!r}\n" for a, b in out.items())


for i, (n, k) in enumerate([(30, 2), (200, 2), (60, 3), (300, 7)]):
    classes(f"classes{i}", n, k)
for i, (n, k) in enumerate([(25, 1), (100, 3)]):
    values(f"values{i}", n, k)
