"""Makes golden/onnx_ml: trees and linear models of ai.onnx.ml with what onnxruntime answers.

Run with Python, onnx, onnxruntime and scikit-learn, and the program itself for what it writes:
    PELLUCID=target/debug/pellucid python golden/make_onnx_ml.py ../shared/data

foreign-NAME.onnx and .npz: models put together here out of scikit-learn's trees, X what went in and y what came out as
scores. ours-NAME.pel, .onnx and .npz: a model of ours, the file that `pellucid convert` made of it, and the same.
maker.txt: the versions of all that had a part in it.
"""

import gzip
import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
import sklearn
from onnx import TensorProto, helper
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "onnx_ml")
ROWS = 60


def answer(model, inputs):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    return dict(zip(names, session.run(None, inputs)))


def columns(trees, values, prefix, modes="BRANCH_LEQ", scale=1.0):
    """Attributes of trees of scikit-learn; `values(tree, leaf)` gives pairs of output and weight."""
    keys = ["treeids", "nodeids", "featureids", "values", "truenodeids", "falsenodeids", "modes"]
    keys += ["missing_value_tracks_true"]
    nodes = {k: [] for k in keys}
    leaves = {k: [] for k in ["treeids", "nodeids", "ids", "weights"]}
    for t, tree in enumerate(trees):
        for i in range(tree.node_count):
            leaf = tree.children_left[i] < 0
            left, right = int(tree.children_left[i]), int(tree.children_right[i])
            threshold = np.float32(tree.threshold[i])
            if modes in ("BRANCH_GT", "BRANCH_GTE"):
                left, right = right, left
            if modes in ("BRANCH_LT", "BRANCH_GTE"):
                threshold = np.nextafter(threshold, np.float32(np.inf))
            # In an order that is not ours: numbers run backwards.
            number = tree.node_count - 1 - i
            row = [t, number, 0 if leaf else int(tree.feature[i]), 0.0 if leaf else float(threshold)]
            row += [0, 0] if leaf else [tree.node_count - 1 - left, tree.node_count - 1 - right]
            row += ["LEAF" if leaf else modes, int(not leaf and i % 2 == 0)]
            for k, v in zip(keys, row):
                nodes[k].append(v)
            for output, weight in values(tree, i) if leaf else []:
                for k, v in zip(["treeids", "nodeids", "ids", "weights"], [t, number, output, scale * weight]):
                    leaves[k].append(v)
    all_ = {f"nodes_{k}": v for k, v in nodes.items()}
    all_.update({f"{prefix}_{k}": v for k, v in leaves.items()})
    return all_


def ensemble(trees, outputs, modes, mean):
    """A node TreeEnsemble of version 5: questions and leaves in lists of their own, the last tree a single leaf."""
    keys = ["featureids", "splits", "modes", "truenodeids", "trueleafs", "falsenodeids", "falseleafs"]
    nodes, roots, ids, weights = {k: [] for k in keys + ["missing_value_tracks_true"]}, [], [], []

    def put(tree, i):
        """The place of node i among the questions or the leaves, and whether it is a leaf."""
        if tree.children_left[i] < 0:
            ids.append(i % outputs)
            weights.append(float(tree.value[i][0][0]))
            return len(ids) - 1, 1
        at, mode = len(nodes["splits"]), modes[i % len(modes)]
        threshold = np.float32(tree.threshold[i])
        if mode in (1, 2):
            threshold = np.nextafter(threshold, np.float32(np.inf))
        for k, v in zip(keys + ["missing_value_tracks_true"], [int(tree.feature[i]), threshold, mode, 0, 0, 0, 0, i % 2]):
            nodes[k].append(v)
        children = [int(tree.children_left[i]), int(tree.children_right[i])]
        for side, child in zip(["true", "false"], children if mode < 2 else children[::-1]):
            nodes[f"{side}nodeids"][at], nodes[f"{side}leafs"][at] = put(tree, child)
        return at, 0

    for tree in trees:
        roots.append(put(tree, 0)[0])
    ids.append(0)
    weights.append(2.5)
    roots.append(len(nodes["splits"]))
    for k, v in zip(keys + ["missing_value_tracks_true"], [0, np.float32(0), 0, len(ids) - 1, 1, len(ids) - 1, 1, 0]):
        nodes[k].append(v)
    floats = lambda name, v: helper.make_tensor(name, TensorProto.FLOAT, [len(v)], v)
    lists = {f"nodes_{k}": v for k, v in nodes.items() if k not in ("splits", "modes")}
    return lambda x: helper.make_node(
        "TreeEnsemble", [x], ["scores"], domain="ai.onnx.ml", n_targets=outputs, aggregate_function=0 if mean else 1,
        post_transform=0, tree_roots=roots, leaf_targetids=ids, leaf_weights=floats("weights", weights),
        nodes_splits=floats("splits", nodes["splits"]),
        nodes_modes=helper.make_tensor("modes", TensorProto.UINT8, [len(nodes["modes"])], nodes["modes"]), **lists)


def model(nodes, outputs, width, initializers=()):
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, width])
    graph = helper.make_graph(nodes, "trees", [x], outputs, list(initializers))
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 5 if nodes[-1].op_type == "TreeEnsemble" else 3)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()


def classifier(attributes, labels, **more):
    names = {"classlabels_strings": labels} if isinstance(labels[0], str) else {"classlabels_int64s": labels}
    return lambda x: helper.make_node(
        "TreeEnsembleClassifier", [x], ["label", "scores"], domain="ai.onnx.ml", **attributes, **names, **more)


def keep(name, blob, x, y):
    with open(os.path.join(HERE, f"{name}.onnx"), "wb") as file:
        file.write(blob)
    np.savez_compressed(os.path.join(HERE, f"{name}.npz"), X=x, y=np.asarray(y, dtype=np.float32))
    print(name, len(blob), x.shape, np.shape(y))


def foreign(name, make, x, classes, before=(), initializers=(), after=False):
    kind = TensorProto.STRING if classes == "text" else TensorProto.INT64
    outputs = [helper.make_tensor_value_info("scores", TensorProto.FLOAT, None)]
    if classes:
        outputs.insert(0, helper.make_tensor_value_info("label", kind, None))
    last = before[-1].output[0] if before else "x"
    blob = model(list(before) + [make(last)], outputs, x.shape[1], initializers)
    keep(f"foreign-{name}", blob, x, answer(blob, {"x": x})["scores"])


def shares(tree, i):
    counts = tree.value[i][0]
    return [(k, float(v / counts.sum())) for k, v in enumerate(counts) if v > 0]


def main(data):
    os.makedirs(HERE, exist_ok=True)
    iris, diabetes = load_iris(), load_diabetes()
    x = iris.data.astype(np.float32)
    some = x[:: len(x) // ROWS][:ROWS]
    names = [str(n) for n in iris.target_names]
    gaps = some.copy()
    gaps[::3, 1] = np.nan
    gaps[1::5, 3] = np.nan

    forest = RandomForestClassifier(7, max_depth=5, random_state=1).fit(x, iris.target)
    trees = [e.tree_ for e in forest.estimators_]
    for modes in ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GT", "BRANCH_GTE"]:
        attributes = columns(trees, shares, "class", modes, 1 / len(trees))
        foreign(f"forest-{modes[7:].lower()}", classifier(attributes, names), gaps, "text")
    tree = DecisionTreeClassifier(random_state=1).fit(x, iris.target)
    foreign("tree-ints", classifier(columns([tree.tree_], shares, "class"), [10, 20, 30]), some, "int")

    # Two classes by one score: as a share, and as a margin with the logistic function and a base value.
    second = (iris.target == 2).astype(int)
    pair = RandomForestClassifier(5, max_depth=4, random_state=2).fit(x, second)
    one = lambda tree, i: [(0, float(tree.value[i][0][1] / tree.value[i][0].sum()))]
    attributes = columns([e.tree_ for e in pair.estimators_], one, "class", scale=1 / 5)
    foreign("one-share", classifier(attributes, ["other", "virginica"]), some, "text")
    boosted = GradientBoostingClassifier(n_estimators=12, max_depth=3, random_state=3).fit(x, second)
    margin = lambda tree, i: [(0, float(tree.value[i][0][0]))]
    attributes = columns([e.tree_ for e in boosted.estimators_.ravel()], margin, "class", scale=0.1)
    base = float(np.log(second.mean() / (1 - second.mean())))
    made = classifier(attributes, [0, 1], post_transform="LOGISTIC", base_values=[base])
    foreign("one-margin", made, some, "int")
    many = GradientBoostingClassifier(n_estimators=5, max_depth=2, random_state=3).fit(x, iris.target)
    flat, whose = [], {}
    for stage in many.estimators_:
        for k, e in enumerate(stage):
            whose[id(e.tree_)] = k
            flat.append(e.tree_)
    margin = lambda tree, i: [(whose[id(tree)], float(tree.value[i][0][0]))]
    made = classifier(columns(flat, margin, "class", scale=0.1), names, post_transform="SOFTMAX",
                      base_values=[0.1, -0.2, 0.3])
    foreign("boosted-softmax", made, some, "text")

    # Values: averages and a base value; behind a filler and a scaler.
    target = diabetes.target
    xd = diabetes.data.astype(np.float32)
    mean = RandomForestRegressor(4, max_depth=5, random_state=4).fit(xd, target)
    value = lambda tree, i: [(0, float(tree.value[i][0][0]))]
    attributes = columns([e.tree_ for e in mean.estimators_], value, "target")
    regressor = lambda x: helper.make_node(
        "TreeEnsembleRegressor", [x], ["scores"], domain="ai.onnx.ml", n_targets=1,
        aggregate_function="AVERAGE", base_values=[1.5], **attributes)
    rows = xd[::7][:ROWS].copy()
    rows[::4, 2] = np.nan
    before = [
        helper.make_node("Imputer", ["x"], ["full"], domain="ai.onnx.ml", replaced_value_float=float("nan"),
                         imputed_value_floats=[float(v) for v in xd.mean(0)]),
        helper.make_node("Scaler", ["full"], ["scaled"], domain="ai.onnx.ml", offset=[0.01] * 10, scale=[1.1] * 10),
    ]
    foreign("values-prepared", regressor, rows, None, before)

    # Version 5: several outputs, all comparisons, gaps, sums and averages.
    trees = [e.tree_ for e in RandomForestRegressor(3, max_depth=3, random_state=6).fit(xd, target).estimators_]
    rows = xd[::5][:40].copy()
    rows[::3, 2] = np.nan
    rows[1::3, 8] = np.nan
    foreign("ensemble-sum", ensemble(trees, 3, [0, 1, 2, 3], False), rows, None)
    foreign("ensemble-mean", ensemble(trees, 1, [0], True), rows, None)

    # Categories before trees: one column of codes and three of numbers.
    coded = np.concatenate([(iris.target[:, None] + np.arange(len(x))[:, None] % 2).astype(np.float32), x[:, :3]], 1)
    wide = np.concatenate([(coded[:, :1] == np.arange(4)).astype(np.float32), coded[:, 1:]], 1)
    tree = DecisionTreeClassifier(random_state=5, max_features=3).fit(wide, iris.target)
    before = [
        helper.make_node("Slice", ["x", "zero", "one", "one"], ["code"]),
        helper.make_node("Slice", ["x", "one", "four", "one"], ["rest"]),
        helper.make_node("OneHotEncoder", ["code"], ["hot"], domain="ai.onnx.ml", cats_int64s=[0, 1, 2, 3], zeros=1),
        helper.make_node("Reshape", ["hot", "flat"], ["columns"]),
        helper.make_node("Concat", ["columns", "rest"], ["wide"], axis=1),
    ]
    whole = lambda name, values: helper.make_tensor(name, TensorProto.INT64, [len(values)], values)
    initializers = [whole("zero", [0]), whole("one", [1]), whole("four", [4]), whole("flat", [-1, 4])]
    foreign("categories", classifier(columns([tree.tree_], shares, "class"), names), coded[::3], "text", before,
            initializers)

    ours(data)
    program = subprocess.run([os.environ["PELLUCID"], "--version"], capture_output=True, text=True, check=True).stdout
    with open(os.path.join(HERE, "maker.txt"), "w", encoding="utf-8") as file:
        file.write("made by golden/make_onnx_ml.py with onnxruntime %s, onnx %s, scikit-learn %s, %s" % (
            onnxruntime.__version__, onnx.__version__, sklearn.__version__, program))


def ours(data):
    """What our program writes, and what onnxruntime says of it."""
    uci = lambda name: os.path.join(data, "uci", f"{name}.csv.gz")
    jobs = [
        ("forest", "forest", "wine", ["--set", "trees=9", "--prepare", "scale"], "f32"),
        ("forest-double", "forest", "wine", ["--set", "trees=9", "--prepare", "scale"], "f64"),
        ("forest-gaps", "forest", "breast_cancer_wisconsin_original", ["--set", "trees=5", "--prepare", "none"], "f32"),
        ("tree-values", "tree", "concrete", ["--set", "depth=6", "--prepare", "none"], "f32"),
        ("logistic", "logistic", "wine", ["--prepare", "scale,pca=4"], "f64"),
        ("ridge", "ridge", "concrete", ["--prepare", "min-max"], "f32"),
        ("knn", "knn", "iris", ["--prepare", "scale"], "f64"),
        ("nearest-mean", "nearest-mean", "iris", ["--set", "prototypes=2", "--prepare", "robust,unit"], "f64"),
        ("gmm", "gmm", "iris", ["--target", "none", "--ignore", "target", "--prepare", "whiten"], "f64"),
    ]
    for name, machine, table, settings, precision in jobs:
        pel, path = (os.path.join(HERE, f"ours-{name}.{end}") for end in ("pel", "onnx"))
        run = lambda *words: subprocess.run([os.environ["PELLUCID"], *words, "-q"], check=True, stdout=subprocess.DEVNULL)
        run("fit", machine, uci(table), "-o", pel, *settings)
        run("convert", pel, path, "--precision", precision)
        lines = gzip.open(uci(table), "rt").read().splitlines()
        rows = [[float(v) if v not in ("", "?") else np.nan for v in line.split(",")[:-1]] for line in lines[1:]]
        x = np.array(rows, dtype=np.float32 if precision == "f32" else np.float64)
        x = x[:: max(1, len(x) // ROWS)][:ROWS]
        if name == "forest-gaps":
            x[::4, 1] = np.nan
        blob = open(path, "rb").read()
        keep(f"ours-{name}", blob, x, answer(blob, {"x": x})["scores"])


if __name__ == "__main__":
    main(sys.argv[1])
