"""Makes the embedded font and its table of widths from the full DejaVu Sans (needs fonttools).

    python make.py DejaVuSans.ttf

Kerning and ligatures are left out, so that the width of a text is the sum of the widths of its characters.
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

HERE = Path(__file__).parent
CHARACTERS = (
    "U+0020-007E,U+00A0-017F,U+0192,U+0218-021B,U+0370-03FF,U+2002-200A,U+2010-2015,U+2018-201E,U+2020-2022,U+2026,"
    "U+202F,U+2030-2033,U+2039-203A,U+2070-209C,U+20AC,U+2102,U+2113,U+2115,U+211D,U+2122,U+2190-2199,U+21D0-21D5,"
    "U+2200-2265,U+226A-226B,U+2282-2287,U+2295-2297,U+22C5,U+2308-230B,U+25A0-25CF,U+FFFD"
)

target = HERE / "DejaVuSans-subset.ttf"
subset.main([
    sys.argv[1], f"--output-file={target}", f"--unicodes={CHARACTERS}", "--layout-features=", "--no-hinting",
    "--drop-tables+=GSUB,GPOS,GDEF,MATH,kern,FFTM", "--name-IDs=0,1,2,3,4,5,6,13,14", "--notdef-outline",
])

font = TTFont(target)
names, widths = font.getBestCmap(), font["hmtx"]
runs = []
for code in sorted(names):
    width = widths[names[code]][0]
    if runs and runs[-1][0] + len(runs[-1][1]) == code:
        runs[-1][1].append(width)
    else:
        runs.append((code, [width]))

lines = [
    "//! Advance widths of the embedded font's characters in units of 1/2048 em; written by `font/make.py`.",
    "",
    "/// Runs of neighbouring characters: the first one's code and the widths, ascending and without overlap.",
    "#[rustfmt::skip]",
    "pub(crate) const RUNS: &[(u32, &[u16])] = &[",
]
for first, run in runs:
    lines.append(f"    (0x{first:04X}, &[")
    for start in range(0, len(run), 20):
        lines.append("        " + ", ".join(str(w) for w in run[start : start + 20]) + ",")
    lines.append("    ]),")
lines.append("];")
(HERE.parent / "src" / "widths.rs").write_text("\n".join(lines) + "\n")
