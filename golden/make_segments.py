"""Writes golden/segments/*: pictures cut by scikit-image's quickshift, with its noise silenced and as it is shipped.

The picture of height h and width w has in row y, column x and channel c the byte (37 (y div s) + 101 (x div s)(c+1) + (xy + 3x) div 16 + yy div 9 + 40c) mod 256;
the gray one has channel 0 three times. Densities without ties do not need the noise that scikit-image adds to break them.
A file has its maker on the first line, then "= name" and numbers, one a line: lab (the first row of the picture), labels,
shipped (labels with the noise) and, of small pictures, distances (of each pixel from its parent, 0 for roots).
Run with Python 3.11+ and the packages named there: python golden/make_segments.py
"""
import os
import numpy as np, skimage
from skimage.color import rgb2lab
from skimage.segmentation import quickshift

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "segments")


class Silent(np.random.Generator):
    """Draws zeros."""

    def normal(self, scale=1.0, size=None, **_):
        return np.zeros(size)


def picture(h, w, s, gray):
    y, x, c = np.mgrid[0:h, 0:w, 0:3]
    c = 0 * c if gray else c
    return ((37 * (y // s) + 101 * (x // s) * (c + 1) + (x * y + 3 * x) // 16 + y * y // 9 + 40 * c) % 256).astype(np.float64) / 255


for name, (h, w, s, gray), (kernel, most, ratio) in (
    ("lime", (72, 64, 13, False), (4, 200, 0.2)),
    ("small", (23, 31, 5, False), (2, 6, 0.5)),
    ("cut", (27, 30, 8, False), (3, 20, 1.0)),
    ("gray", (40, 44, 9, True), (2.5, 60, 0.4)),
    ("fraction", (19, 26, 7, False), (1.4, 4.5, 0.8)),
):
    image = picture(h, w, s, gray)
    settings = dict(ratio=ratio, kernel_size=kernel, max_dist=most)
    drawn, np.random.default_rng = np.random.default_rng, lambda _: Silent(np.random.PCG64(0))
    labels, _, distances = quickshift(image, return_tree=True, **settings)
    np.random.default_rng = drawn
    distances = np.where(np.asarray(distances) < 1e100, distances, 0.0)
    shipped = quickshift(image, rng=42, **settings)
    print(name, labels.max() + 1, shipped.max() + 1)
    with open(os.path.join(HERE, name + ".txt"), "w") as f:
        f.write(f"# scikit-image {skimage.__version__}, golden/make_segments.py\n")
        sections = [("lab", rgb2lab(image)[0]), ("labels", labels), ("shipped", shipped)]
        # Files stay small.
        sections += [("distances", distances)] if labels.size < 1000 else []
        for title, values in sections:
            f.write(f"= {title}\n")
            f.writelines(f"{v.item()!r}\n" for v in np.ravel(values))
