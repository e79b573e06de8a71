"""Makes arrays.npz, deflated.npz and the single .npy files of this folder.

Versions are in versions.txt. Element k of an array, counted in row-major order, is
k - 5 for signed numbers, k for unsigned ones, (k - 5) / 4 for floating point, k % 3 == 0 for flags.
Names are TYPE_ORDER_LAYOUT_DIMENSIONS: i2_be_F_3 is big-endian int16 in Fortran order with three dimensions.
"""
import sys
import numpy as np

SHAPES = {1: (7,), 2: (3, 4), 3: (2, 3, 4)}
arrays = {}
for code in ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"]:
    for order, mark in [("le", "<"), ("be", ">")]:
        for layout in "CF":
            for dimensions, shape in SHAPES.items():
                k = np.arange(np.prod(shape)).reshape(shape)
                value = {"f": (k - 5) / 4, "i": k - 5, "u": k, "b": k % 3 == 0}[code[0]]
                array = np.asarray(value.astype(mark + code), order=layout)
                arrays[f"{code}_{order}_{layout}_{dimensions}"] = array
words = ["b", "", "äö€𝄞", "long word"]
arrays["S_texts"] = np.array(["b", "", "a c", "long word"], dtype="S9")
arrays["U_le_texts"] = np.array(words, dtype="<U9")
arrays["U_be_texts"] = np.array(words, dtype=">U9")
np.savez("arrays.npz", **arrays)
np.savez_compressed("deflated.npz", X=np.zeros((50, 4), np.float32), names=np.array(["a", "b"] * 25))

small = np.array([[0.5, -0.0], [1e300, 3.0]])
for version in (1, 2, 3):
    with open(f"version{version}.npy", "wb") as file:
        np.lib.format.write_array(file, small, version=(version, 0))
np.save("single.npy", np.array([1.5, -2.0, 3.25], dtype=np.float32))
np.save("objects.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
with open("versions.txt", "w") as file:
    file.write(f"python {sys.version.split()[0]}\nnumpy {np.__version__}\n")
