"""Writes golden/trees/*: data and the answers of scikit-learn's decision trees.

Run with Python 3.11+ and the packages named in each file's first line: python golden/make_trees.py
Coordinates are exact in single precision, which scikit-learn's trees work in. Where two splits are equally good
scikit-learn draws one or lets rounding decide, so every tree is grown with several seeds, scales of the weights and
signs of the coordinates, and the data are the first drawn on which all of them agree.
"""
import itertools, os
import numpy as np, sklearn
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "trees")
SKLEARN = f"scikit-learn {sklearn.__version__}, golden/make_trees.py"
n, d, fresh = 150, 4, 60
files = {}


class Tie(Exception):
    """Two splits are equally good."""


def write(name, maker, values):
    files[name] = f"# {maker}\n" + "".join(f"{float(v)!r}\n" for v in np.ravel(values))


def answers(name, X, y, weights=None, note="", **settings):
    """Answers and importance for the rows to ask, the same for every seed."""
    kind = DecisionTreeClassifier if "gini" in name or "entropy" in name else DecisionTreeRegressor
    trees, said = [], []
    for sign, scale, seed in itertools.product((1, -1), (1, 1 / 3, 0.7), range(6)):
        tree = kind(random_state=seed, **settings)
        tree.fit(sign * X[:n], y[:n], sample_weight=scale * (np.ones(n) if weights is None else weights))
        trees.append(tree)
        said.append((tree.predict_proba if kind is DecisionTreeClassifier else tree.predict)(sign * X[n:]))
    if not all(np.allclose(s, said[0], rtol=0, atol=1e-9) for s in said):
        raise Tie
    write(name, SKLEARN + ": answers to the rows to ask, row by row" + note, said[0])
    write(name + "_importance", SKLEARN + ": importance of the columns" + note, trees[0].feature_importances_)


def everything(r):
    X = r.randn(n + fresh, d).astype(np.float32).astype(float)
    w = r.uniform(0.2, 3.0, n + fresh)
    value = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * r.randn(n + fresh)
    c = np.digitize(value, [-0.7, 0.6]).astype(float)
    holes = X.copy()
    holes[r.uniform(size=X.shape) < 0.15] = np.nan
    write("data", f"numpy {np.__version__}, golden/make_trees.py: {n} rows to learn from, then {fresh} to ask: {d} coordinates, weight, value, class", np.c_[X, w, value, c])
    write("gaps", f"numpy {np.__version__}, golden/make_trees.py: the same coordinates with gaps", holes)

    light = 6.0 / w[:n].sum()
    for criterion in ("gini", "entropy"):
        answers(criterion, X, c, criterion=criterion, max_depth=4, min_samples_leaf=10)
        answers(criterion + "_weighted", X, c, w[:n], criterion=criterion, max_depth=4, min_weight_fraction_leaf=light, note=", leaves of weight 6")
    answers("squared", X, value, min_samples_leaf=5)
    answers("squared_weighted", X, value, w[:n], min_weight_fraction_leaf=light, note=", leaves of weight 6")
    answers("squared_two", X, np.c_[value, X[:, 3] - X[:, 0]], min_samples_leaf=5, note=", value and fourth coordinate minus first")
    answers("squared_decrease", X, value, min_impurity_decrease=0.02, note=", least decrease 0.02")
    answers("squared_gaps", holes, value, min_samples_leaf=5, note=", with gaps")
    answers("gini_gaps", holes, c, max_depth=3, min_samples_leaf=10, note=", with gaps")
    for name, settings, y in (("gini", dict(max_depth=4, min_samples_leaf=10), c), ("squared", dict(min_samples_leaf=5), value)):
        kind = DecisionTreeClassifier if name == "gini" else DecisionTreeRegressor
        path = kind(random_state=0, **settings).cost_complexity_pruning_path(X[:n], y[:n])
        write(f"{name}_path", SKLEARN + ": penalties, then impurities", np.r_[path.ccp_alphas, path.impurities])
        answers(f"{name}_pruned", X, y, ccp_alpha=0.02, note=", penalty 0.02", **settings)


for seed in range(10000):
    try:
        everything(np.random.RandomState(seed))
        break
    except Tie:
        continue
else:
    raise SystemExit("every seed has equally good splits")
for name, text in files.items():
    with open(os.path.join(HERE, name + ".txt"), "w") as f:
        f.write(text)
