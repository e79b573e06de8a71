"""Makes version1.pel and foreign.pel.

version1.pel is written here from the definition of the file, byte by byte, and never again changed: every later
program must read it. foreign.pel has the same arrays laid out by the safetensors package, in its own order.
Made with safetensors 0.8.0 and NumPy 2.
"""
import json
import struct
import sys
import numpy as np
from safetensors.numpy import load_file, save_file

NAN, INF = float("nan"), float("inf")


def number(x):
    return {"number": x}


def record(kind, version, **fields):
    return {"kind": kind, "version": version, "fields": fields}


def leaf(x, path):
    return record("leaf", 3, means={"array": path + "/means"}, offset=number(x))


tree = record(
    "chain", 2,
    machine={"part": record("forest", 1, parts={"parts": [
        leaf(-0.0, "machine/parts/0"), leaf("-inf", "machine/parts/1")]})},
    ids={"array": "ids"}, rows={"array": "rows"}, single={"array": "single"}, scalar={"array": "scalar"},
    empty={"array": "empty"}, c=number(0.1), tiny=number(2.5e-7), odd=number("nan"), top=number("inf"),
    k=-3, yes=True, name="äö \"x\"\n", names=["a", ""], none=[],
)
arrays = {
    "machine/parts/0/means": np.array([[1.5], [NAN]]),
    "machine/parts/1/means": np.array([[INF], [-0.0]]),
    "ids": np.array([0, 2**32 - 1, 7], np.uint32),
    "rows": np.array([0, 2**64 - 1], np.uint64),
    "single": np.array([1.5, -2.25, 3.0], np.float32),
    "scalar": np.array(0.1),
    "empty": np.zeros((0, 4)),
}
WORDS = {"f8": "F64", "f4": "F32", "u4": "U32", "u8": "U64"}
text = json.dumps(tree, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
# Python writes 2.5e-07 where the fewest digits are 2.5e-7.
text = text.replace("2.5e-07", "2.5e-7")
meta = {"format": "pellucid", "record": text, "version": "1"}

if len(sys.argv) == 1:
    order = sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name))
    at, places = 0, {}
    for name in order:
        a = arrays[name]
        places[name] = {"dtype": WORDS[a.dtype.str[1:]], "shape": list(a.shape), "data_offsets": [at, at + a.nbytes]}
        at += a.nbytes
    head = {"__metadata__": meta, **{name: places[name] for name in sorted(places)}}
    head = json.dumps(head, separators=(",", ":"), ensure_ascii=False).encode()
    head += b" " * (-len(head) % 8)
    with open("version1.pel", "wb") as file:
        file.write(struct.pack("<Q", len(head)) + head)
        for name in order:
            file.write(arrays[name].tobytes())
    save_file(arrays, "foreign.pel", metadata=meta)

# The package reads what is here, or the file given.
back = load_file(sys.argv[1] if len(sys.argv) > 1 else "version1.pel")
assert sorted(back) == sorted(arrays)
for name, a in arrays.items():
    assert back[name].dtype == a.dtype and back[name].shape == a.shape and back[name].tobytes() == a.tobytes(), name
