#!/usr/bin/env python3
"""Whether every machine predicts the penguins bit for bit as an earlier commit does.

    golden/same_bits.py COMMIT [MACHINE ...]      builds COMMIT in a worktree of its own and compares
    golden/same_bits.py --program FILE [MACHINE ...]    compares with a program that is there

Each machine is fitted with its default settings behind the automatic preparation, on classes (species), on a value
(body_mass_g) or on the inputs alone, whichever it takes; scores are written with all their digits and compared as text.
With PELLUCID in the environment, the program that is compared is that file. Machines that one of the two programs refuses are listed, and so is every line that differs. Ends with code 1 if any does.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "data" / "penguins.csv"
TARGETS = ("species", "body_mass_g", "none")


def built(folder: Path) -> Path:
    subprocess.run(["cargo", "build", "--quiet", "-p", "pellucid-cli"], cwd=folder, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", folder / "target"))
    return target / "debug" / "pellucid"


def scores(program: Path, machine: str, target: str, folder: Path) -> str | None:
    """The predictions of a machine as text, or why there are none; None if it does not take such a target."""
    model, out = folder / "model.pel", folder / "scores.csv"
    for file in (model, out):
        file.unlink(missing_ok=True)
    fit = [program, "fit", machine, DATA, "--target", target, "-o", model, "--quiet", "--seed", "1"]
    if target == "none":
        fit += ["--ignore", "species"]
    if subprocess.run(fit, capture_output=True).returncode != 0:
        return None
    predict = [program, "predict", model, DATA, "--scores", "-o", out, "--quiet"]
    done = subprocess.run(predict, capture_output=True, text=True)
    return out.read_text() if done.returncode == 0 else f"refused: {done.stderr}"


def main(arguments: list[str]) -> int:
    if not arguments:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if arguments[0] == "--program":
            before, wanted = Path(arguments[1]), arguments[2:]
        else:
            tree = folder / "before"
            subprocess.run(["git", "worktree", "add", "--quiet", "--detach", tree, arguments[0]], cwd=ROOT, check=True)
            try:
                before, wanted = folder / "pellucid", arguments[1:]
                before.write_bytes(built(tree).read_bytes())
                before.chmod(0o755)
            finally:
                subprocess.run(["git", "worktree", "remove", "--force", tree], cwd=ROOT, check=True)
        now = Path(os.environ["PELLUCID"]) if "PELLUCID" in os.environ else built(ROOT)
        refused = []
        listed = json.loads(subprocess.run([now, "machines", "--json"], capture_output=True, check=True).stdout)
        machines = wanted or [m["name"] for m in listed["machines"]]
        same, differing = 0, []
        for machine in machines:
            for target in TARGETS:
                old, new = (scores(p, machine, target, folder) for p in (before, now))
                if old is None and new is None:
                    continue
                if (new or "").startswith("refused: "):
                    refused.append(f"{machine} on {target} does not predict these rows: {new[9:].strip()}")
                if old == new:
                    same += 1
                    continue
                pairs = zip((old or "").splitlines(), (new or "").splitlines())
                lines = sum(a != b for a, b in pairs) if old and new else "all"
                differing.append(f"{machine} on {target}: {lines} lines differ")
        print(f"{same} of {same + len(differing)} fits predict the same bits")
        print("\n".join(differing + refused))
        return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
