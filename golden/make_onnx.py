"""Collects ONNX's own node tests (onnx 1.21.0) and answers of onnxruntime into golden/onnx.

Run with Python, onnx 1.21.0 and onnxruntime: python golden/make_onnx.py

nodes.bin.gz: the node tests over float, double, int64 and bool whose operators Pellucid reads (the list is that of
docs/src/onnx.md), laid out as
    u32 count, then for each: u32 name length, name, u32 model length, model,
    u32 inputs, each a tensor, u32 outputs, each a tensor;
    a tensor is a letter (f float, d double, i int64, b bool, s texts), u32 axes, a u32 size for each, and the numbers
    (or texts, each behind its u32 length), all little-endian.
unsupported.txt: the operators of ONNX and ai.onnx.ml that are not read, one a line with its domain.
models.bin.gz: for each model of ../shared/data/models what onnxruntime gives for inputs made by `waves`, laid out alike
(with the file's name, an empty model and no inputs).
variants.bin.gz: operators of ai.onnx.ml and older versions of ONNX's, with what onnxruntime gives, laid out alike.
written.bin.gz: the same for models that our own writer wrote into the folder WRITTEN, with their bytes:
    PELLUCID_WRITE_ONNX=$WRITTEN cargo test --workspace --test onnx onnxruntime_computes
"""

import glob
import gzip
import os
import re
import struct
import sys

import numpy as np
import onnx
import onnx.reference
from onnx import numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
# Bytes of numbers of a test that is kept; larger ones show nothing more.
LARGEST = 40_000
NATIVE = {onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE, onnx.TensorProto.INT64, onnx.TensorProto.BOOL}


def supported():
    """The operators that the page says are read."""
    text = open(os.path.join(ROOT, "docs/src/onnx.md"), encoding="utf-8").read()
    part = text.split("<!-- read -->")[1].split("<!-- end -->")[0]
    return set(re.findall(r"`([A-Za-z0-9.]+)`", part))


def full(node):
    return f"{node.domain}.{node.op_type}" if node.domain not in ("", "ai.onnx") else node.op_type


def blob(data):
    return struct.pack("<I", len(data)) + data


def tensor(value):
    value = np.asarray(value)
    letter = {"f4": "f", "f8": "d", "i8": "i", "b1": "b"}.get(value.dtype.str[1:], "s")
    data = letter.encode() + struct.pack(f"<I{value.ndim}I", value.ndim, *value.shape)
    return data + (b"".join(blob(str(t).encode()) for t in value.ravel()) if letter == "s" else value.tobytes())


def case(name, model, inputs, outputs):
    data = blob(name.encode()) + blob(model)
    for tensors in (inputs, outputs):
        data += struct.pack("<I", len(tensors)) + b"".join(tensor(t) for t in tensors)
    return data


def write(name, cases):
    path = os.path.join(HERE, "onnx", name)
    with open(path, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=9, mtime=0, filename="") as out:
        out.write(struct.pack("<I", len(cases)) + b"".join(cases))
    print(f"{name}: {len(cases)} cases, {os.path.getsize(path)} bytes")


def nodes():
    known = supported()
    root = os.path.join(os.path.dirname(onnx.__file__), "backend/test/data/node")
    cases, left = [], []
    for name in sorted(os.listdir(root)):
        folder = os.path.join(root, name)
        model = onnx.load(os.path.join(folder, "model.onnx"))
        used = {full(node) for node in model.graph.node}
        values = list(model.graph.input) + list(model.graph.output)
        if not used <= known or any(n.HasField("g") for node in model.graph.node for n in node.attribute):
            continue
        if not all(v.type.HasField("tensor_type") and v.type.tensor_type.elem_type in NATIVE for v in values):
            continue
        constants = [a.t for node in model.graph.node for a in node.attribute if a.HasField("t")]
        if not all(t.data_type in NATIVE for t in constants):
            continue
        casts = [a.i for node in model.graph.node for a in node.attribute if node.op_type == "Cast" and a.name == "to"]
        if not all(to in NATIVE for to in casts):
            continue
        read = lambda kind, i: onnx.load_tensor(os.path.join(folder, "test_data_set_0", f"{kind}_{i}.pb"))
        inputs = [numpy_helper.to_array(read("input", i)) for i in range(len(model.graph.input))]
        outputs = [numpy_helper.to_array(read("output", i)) for i in range(len(model.graph.output))]
        if sum(t.nbytes for t in inputs + outputs) > LARGEST:
            left.append(name)
            continue
        cases.append(case(name, model.SerializeToString(), inputs, outputs))
    write("nodes.bin.gz", cases)
    if left:
        print("left out, too large:", left)


def unsupported():
    known = supported()
    lines = set()
    for schema in onnx.defs.get_all_schemas():
        if schema.domain in ("", "ai.onnx.ml") and not schema.deprecated:
            name = f"{schema.domain}.{schema.name}" if schema.domain else schema.name
            if name not in known:
                lines.add(name)
    with open(os.path.join(HERE, "onnx", "unsupported.txt"), "w") as out:
        out.write(f"# onnx {onnx.__version__}, golden/make_onnx.py\n" + "\n".join(sorted(lines)) + "\n")


def models():
    import onnxruntime

    folder = os.path.join(ROOT, "..", "shared", "data", "models")
    cases = []
    for path in sorted(glob.glob(os.path.join(folder, "*.onnx"))):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        feeds = {v.name: waves([n if isinstance(n, int) else 2 for n in v.shape], v.type) for v in session.get_inputs()}
        outputs = []
        for value in session.run(None, feeds):
            if isinstance(value, list):  # classes and their scores, a map for each row
                value = np.array([list(row.values()) for row in value], np.float32)
            outputs.append(value)
        cases.append(case(os.path.basename(path), b"", [], outputs))
    write("models.bin.gz", cases)


def written():
    """What onnxruntime makes of the models that the tests write (see WRITTEN)."""
    import onnxruntime

    cases = []
    for path in sorted(glob.glob(os.path.join(os.environ["WRITTEN"], "*.onnx"))):
        model = onnx.load(path)
        onnx.checker.check_model(model, full_check=True)
        feeds = {}
        for value in model.graph.input:
            shape = [n.dim_value or 3 for n in value.type.tensor_type.shape.dim]
            places = np.arange(np.prod(shape)).reshape(shape)
            feeds[value.name] = {
                onnx.TensorProto.FLOAT: lambda i: (0.1 + i * 37 % 101 / 126).astype(np.float32),
                onnx.TensorProto.DOUBLE: lambda i: 0.1 + i * 37 % 101 / 126,
                onnx.TensorProto.INT64: lambda i: i * 37 % 3,
                onnx.TensorProto.BOOL: lambda i: i * 37 % 101 % 2 == 0,
            }[value.type.tensor_type.elem_type](places)
        name = os.path.basename(path)[: -len(".onnx")]
        try:
            session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented as missing:
            # Some operators have no double precision there: ONNX's own reference computes those models.
            print(f"{name}: by onnx.reference, since {str(missing).split(':')[-1].strip()}")
            session = onnx.reference.ReferenceEvaluator(model)
        cases.append(case(name, open(path, "rb").read(), [], session.run(None, feeds)))
    write("written.bin.gz", cases)


def variants():
    """Operators of ai.onnx.ml, and of ONNX in their older versions, by onnxruntime."""
    import onnxruntime
    from onnx import helper

    drawn = np.random.default_rng(3)
    rows = drawn.normal(size=(5, 3)).astype(np.float32)
    rows[2] = 0
    gaps = rows.copy()
    gaps[0, 1] = np.nan
    picture = drawn.normal(size=(2, 4, 6, 6)).astype(np.float32)
    cases = []

    def add(name, op, inputs, opset=9, domain="", outputs=1, **attributes):
        names = [f"x{i}" for i in range(len(inputs))]
        results = [f"y{i}" for i in range(outputs)]
        node = helper.make_node(op, names, results, domain=domain, **attributes)
        infos = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), [None, *x.shape[1:]] if x.ndim else [])
                 for n, x in zip(names, inputs)]
        ends = [onnx.ValueInfoProto(name=n) for n in results]
        graph = helper.make_graph([node], name, infos, ends)
        sets = [helper.make_opsetid("", opset), helper.make_opsetid("ai.onnx.ml", 2)]
        model = helper.make_model(graph, opset_imports=sets, ir_version=8)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        cases.append(case(name, model.SerializeToString(), inputs, session.run(None, dict(zip(names, inputs)))))

    ml = dict(domain="ai.onnx.ml")
    weights = [0.5, -1.0, 0.25, 2.0, 0.1, -0.3, 0.7, 0.2, -0.4]
    for transform in ["NONE", "LOGISTIC", "SOFTMAX"]:
        for count in [1, 2, 3]:
            about = dict(coefficients=weights[: 3 * count], intercepts=[0.1, -0.2, 0.3][:count], post_transform=transform)
            labels = dict(classlabels_ints=[5, 7, 9][: max(count, 2)])
            add(f"classifier_{count}_{transform}", "LinearClassifier", [rows], outputs=2, **about, **labels, **ml)
            if count > 1 or transform == "NONE":
                add(f"regressor_{count}_{transform}", "LinearRegressor", [rows], targets=count, **about, **ml)
    words = dict(classlabels_strings=["a", "b", "c"], coefficients=weights, intercepts=[0.1, -0.2, 0.3])
    add("classifier_words", "LinearClassifier", [rows], outputs=2, **words, **ml)
    for norm in ["MAX", "L1", "L2"]:
        add(f"normalizer_{norm}", "Normalizer", [rows], norm=norm, **ml)
    add("scaler", "Scaler", [rows], offset=[0.5, 1.0, -1.0], scale=[2.0, 0.5, 3.0], **ml)
    add("binarizer", "Binarizer", [rows], threshold=0.25, **ml)
    add("imputer", "Imputer", [gaps], imputed_value_floats=[1.0, 2.0, 3.0], replaced_value_float=float("nan"), **ml)
    add("imputer_zero", "Imputer", [rows], imputed_value_floats=[9.0], replaced_value_float=0.0, **ml)
    add("vectorizer", "FeatureVectorizer", [rows, gaps[3:].repeat(3, 0)[:5]], inputdimensions=[3, 3], **ml)
    add("extractor", "ArrayFeatureExtractor", [rows, np.array([2, 0])], **ml)
    for axis in [1, 2, 3]:
        add(f"softmax_{axis}", "Softmax", [picture], axis=axis)
        add(f"log_softmax_{axis}", "LogSoftmax", [picture], axis=axis)
        add(f"hardmax_{axis}", "Hardmax", [picture], axis=axis)
    add("clip", "Clip", [rows], min=-0.5, max=0.25)
    add("slice", "Slice", [picture], axes=[1, 3], starts=[1, -4], ends=[100, -1])
    add("pad", "Pad", [picture], pads=[0, 1, 0, 2, 0, 0, 1, 0], value=0.5)
    add("pad_reflect", "Pad", [picture], mode="reflect", pads=[0, 0, 1, 2, 0, 0, 3, 1])
    add("upsample", "Upsample", [picture], opset=7, mode="nearest", scales=[1.0, 1.0, 2.0, 1.5])
    add("upsample_linear", "Upsample", [picture], opset=7, mode="linear", scales=[1.0, 1.0, 2.0, 2.0])
    add("top_k", "TopK", [rows], k=2, axis=1, outputs=2)
    add("squeeze", "Squeeze", [picture[:, :1]], axes=[1])
    add("unsqueeze", "Unsqueeze", [rows], axes=[0, 3])
    add("split", "Split", [picture], axis=1, split=[1, 3], outputs=2)
    add("split_equal", "Split", [picture], axis=2, outputs=3)
    for op in ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceL2", "ReduceLogSumExp"]:
        add(op, op, [picture], axes=[1, -1] if op != "ReduceSum" else [1, 2], opset=11, keepdims=0)
    add("dropout", "Dropout", [rows], ratio=0.3)
    add("batch_norm", "BatchNormalization", [picture] + [np.array(v, np.float32) for v in
        ([1, 2, 3, 4], [0, 1, 0, 1], [0.5, 0, -0.5, 1], [1, 2, 0.5, 1])], opset=7, epsilon=1e-3)
    add("depth_to_space", "DepthToSpace", [picture], blocksize=2)
    add("space_to_depth", "SpaceToDepth", [picture], blocksize=3)
    add("gemm", "Gemm", [rows, rows[:2], rows[:1, :2]], transB=1, alpha=0.5, beta=2.0)
    add("gemm_scalar", "Gemm", [rows, rows[:3].T.copy(), np.float32(0.5).reshape(1)], opset=11)
    write("variants.bin.gz", cases)


def waves(shape, kind):
    """Inputs that both sides can make: (37 i mod 101) / 101 at place i, or 37 i mod 257 for whole numbers."""
    places = np.arange(np.prod(shape)).reshape(shape)
    return (places * 37 % 257).astype(np.int32) if "int" in kind else (places * 37 % 101 / 101).astype(np.float32)


if __name__ == "__main__":
    os.makedirs(os.path.join(HERE, "onnx"), exist_ok=True)
    wanted = sys.argv[1:] or ["nodes", "unsupported", "models", "variants", "written"]
    for part in wanted:
        {"nodes": nodes, "unsupported": unsupported, "models": models, "variants": variants, "written": written}[part]()
