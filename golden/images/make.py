"""Makes small pictures of every kind of pixel; 4 wide, 3 high, or stacked.

Made with Pillow 13.0. The value of channel c at row r, column x is (16 r + 4 x + c) mod 256; the 16-bit one has 257
times that plus 1. Opacity is the last channel and follows the same rule. The palette maps index i to (i, 255 - i, 7).
"""
import numpy as np
from PIL import Image

r, x = np.mgrid[0:3, 0:4]
channel = lambda c: (16 * r + 4 * x + c).astype(np.uint8)
stack = lambda n: np.stack([channel(c) for c in range(n)], axis=-1)
Image.fromarray(channel(0)).save("gray.png")
Image.fromarray(stack(2)).save("gray_alpha.png")
Image.fromarray(stack(3)).save("rgb.png")
Image.fromarray(stack(4)).save("rgba.png")
Image.fromarray(channel(0).astype(np.uint16) * 257 + 1).save("gray16.png")
Image.fromarray((x % 2 == 0)).save("bilevel.png")
palette = Image.fromarray(channel(0), mode="P")
palette.putpalette([v for i in range(256) for v in (i, 255 - i, 7)])
palette.save("palette.png")
Image.fromarray(np.full((16, 16), 100, np.uint8)).save("gray.jpg", quality=95)
Image.fromarray(np.full((16, 16, 3), (200, 100, 50), np.uint8)).save("rgb.jpg", quality=95, subsampling=0)
squares = (np.arange(20)[:, None] * 10 + np.arange(2)[None, :]).astype(np.uint8)
Image.fromarray(squares).save("stack.png")
