"""Makes golden/sklearn: estimators of scikit-learn as skl2onnx writes them, with what onnxruntime answers.

Run with Python, onnx, onnxruntime, scikit-learn and skl2onnx:
    python golden/make_sklearn.py

NAME.onnx and NAME.npz: the file, X what went in and y the label that came out, as the place of its class.
"""

import os

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper
from skl2onnx import to_onnx
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.svm import LinearSVC

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sklearn")
ROWS = 40


def keep(name, model, rows):
    data = model.SerializeToString()
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    label = session.run(None, {session.get_inputs()[0].name: rows})[0]
    with open(os.path.join(HERE, name + ".onnx"), "wb") as file:
        file.write(data)
    np.savez(os.path.join(HERE, name + ".npz"), X=rows.astype(np.float64), y=np.asarray(label).ravel().astype(np.float64))


def linear(transform, normalise, columns, weights, offsets, classes):
    """A linear classifier as older converters write it."""
    flat = [float(w) for w in np.ravel(weights)]
    nodes = [
        helper.make_node(
            "LinearClassifier", ["x"], ["label", "p"], domain="ai.onnx.ml", coefficients=flat,
            intercepts=[float(b) for b in offsets], classlabels_ints=list(range(classes)), post_transform=transform,
        )
    ]
    last = "p"
    if normalise:
        nodes.append(helper.make_node("Normalizer", ["p"], ["n"], domain="ai.onnx.ml", norm="L1"))
        last = "n"
    nodes.append(helper.make_node("ZipMap", [last], ["probabilities"], domain="ai.onnx.ml", classlabels_int64s=list(range(classes))))
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, columns] if columns else [3, 2])
    label = helper.make_tensor_value_info("label", TensorProto.INT64, [None])
    maps = helper.make_map_type_proto(TensorProto.INT64, helper.make_tensor_type_proto(TensorProto.FLOAT, []))
    shares = helper.make_value_info("probabilities", helper.make_sequence_type_proto(maps))
    graph = helper.make_graph(nodes, "linear", [x], [label, shares])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("ai.onnx.ml", 1), helper.make_opsetid("", 13)], ir_version=7)


def softmax_identity(weights, offsets):
    nodes = [
        helper.make_node("Gemm", ["x", "w", "b"], ["z"]),
        helper.make_node("Softmax", ["z"], ["p"], axis=1),
        helper.make_node("Identity", ["p"], ["probabilities"]),
        helper.make_node("ArgMax", ["p"], ["label"], axis=1, keepdims=0),
    ]
    tensors = [
        helper.make_tensor("w", TensorProto.FLOAT, weights.T.shape, weights.T.ravel().tolist()),
        helper.make_tensor("b", TensorProto.FLOAT, [len(offsets)], list(offsets)),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, weights.shape[1]])
    out = [
        helper.make_tensor_value_info("label", TensorProto.INT64, [None]),
        helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, [None, len(offsets)]),
    ]
    graph = helper.make_graph(nodes, "softmax", [x], out, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)


os.makedirs(HERE, exist_ok=True)
rng = np.random.default_rng(5)
X, y = load_iris(return_X_y=True)
X = X.astype(np.float32)
rows = X[rng.permutation(len(X))[:ROWS]]
three = LogisticRegression(max_iter=500).fit(X, y)
two = LogisticRegression(max_iter=500).fit(X, y > 0)
keep("kmeans", to_onnx(KMeans(3, random_state=1, n_init=3).fit(X), X[:1]), rows)
keep("logistic", to_onnx(three, X[:1]), rows)
keep("logistic-two", to_onnx(two, X[:1]), rows)
keep("linear-svc-two", to_onnx(LinearSVC(max_iter=5000).fit(X, y == 1), X[:1]), rows)
keep("ridge-two", to_onnx(RidgeClassifier().fit(X, y == 1), X[:1]), rows)
keep("one-against-rest", linear("LOGISTIC", True, 4, three.coef_, three.intercept_, 3), rows)
keep("logistic-zipped", linear("LOGISTIC", False, 4, three.coef_, three.intercept_, 3), rows)
keep("softmax-normalised", linear("SOFTMAX", True, 4, three.coef_, three.intercept_, 3), rows)
# More coefficients than columns, as in the sample that comes with onnxruntime.
keep("too-many-coefficients", linear("LOGISTIC", True, 0, three.coef_, three.intercept_, 3), rows[:3, :2].copy())
keep("softmax-identity", softmax_identity(three.coef_.astype(np.float32), three.intercept_.astype(np.float32)), rows)
