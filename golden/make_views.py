"""Writes golden/views/*: colours of matplotlib's seismic and jet, a blurred map, and relevance shown in several ways.

The picture of 9 x 11 pixels has in row y, column x and channel c the byte (37y + 59x + 83c + xy) mod 256, and there the relevance
((29y + 17x + 53c + 7xy) mod 101 - 40) / 50.
A file has its makers on the first line, then numbers, one a line: bytes of colours, or what is named.
Run with Python 3.11+ and the packages named there: python golden/make_views.py
"""
import os
import matplotlib, numpy as np, skimage
from matplotlib import colormaps
from skimage.filters import gaussian

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "views")
MAKER = f"# matplotlib {matplotlib.__version__}, scikit-image {skimage.__version__}, golden/make_views.py\n"


def write(name, values):
    with open(os.path.join(HERE, name + ".txt"), "w") as f:
        f.write(MAKER)
        f.writelines(f"{v.item()!r}\n" for v in np.ravel(values))


def as_bytes(values):
    return np.round(values * 255)


y, x, c = np.mgrid[0:9, 0:11, 0:3]
image = ((37 * y + 59 * x + 83 * c + x * y) % 256).astype(np.float64)
e = ((29 * y + 17 * x + 53 * c + 7 * x * y) % 101 - 40) / 50

for name in ("seismic", "jet"):
    write(name, colormaps[name](np.arange(256), bytes=True)[:, :3].astype(np.float64))
write("blur", gaussian(e[:, :, 0], 3))

v = e.sum(axis=2)
write("heat", colormaps["seismic"]((v / np.abs(v).max() * 127.5 + 127.5).astype(np.int64), bytes=True)[..., :3].astype(np.float64))
root = np.sign(v) * np.sqrt(np.abs(v))
write("heat_root", colormaps["seismic"]((root / np.abs(root).max() * 127.5 + 127.5).astype(np.int64), bytes=True)[..., :3].astype(np.float64))
s = np.abs(e).sum(axis=2)
write("gray", np.repeat(np.floor(s / s.max() * 255)[..., None], 3, axis=2))
write("scale", as_bytes(image / 255 * (s / s.max())[..., None]))
s = gaussian(s, 3)
s = (s - s.min()) / (s.max() - s.min())
write("blend", as_bytes((1 - s)[..., None] * image / 255 + s[..., None] * colormaps["jet"](s)[..., :3]))
write("project", as_bytes(e / (2 * np.abs(e).max()) + 0.5))
