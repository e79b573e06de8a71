"""Writes golden/resize/*: pictures in another size, by OpenCV (shrinking) and Pillow (growing, and shrinking by whole factors).

The picture of height h and width w has the value (37 y + 101 x + 13 x y) mod 256 in row y and column x.
Run with Python 3.11+ and the packages named in each file's first line: python golden/make_resize.py
"""
import os
import cv2, numpy as np, PIL
from PIL import Image

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "resize")


def write(name, maker, values):
    with open(os.path.join(HERE, name + ".txt"), "w") as f:
        f.write(f"# {maker}, golden/make_resize.py\n")
        f.writelines(f"{float(v)!r}\n" for v in np.ravel(values))


def picture(h, w):
    y, x = np.mgrid[0:h, 0:w]
    return ((37 * y + 101 * x + 13 * x * y) % 256).astype(np.float64)


for h, w, h2, w2 in ((7, 5, 3, 2), (13, 17, 8, 11), (28, 28, 9, 10)):
    write(f"area_{h}x{w}_{h2}x{w2}", f"OpenCV {cv2.__version__}", cv2.resize(picture(h, w), (w2, h2), interpolation=cv2.INTER_AREA))
for name, method, h, w, h2, w2 in (
    ("box", Image.Resampling.BOX, 12, 8, 4, 2),
    ("grow", Image.Resampling.BILINEAR, 3, 4, 7, 9),
    ("grow", Image.Resampling.BILINEAR, 5, 5, 10, 6),
):
    image = Image.fromarray(picture(h, w).astype(np.float32), mode="F")
    write(f"{name}_{h}x{w}_{h2}x{w2}", f"Pillow {PIL.__version__}", np.asarray(image.resize((w2, h2), method)))
