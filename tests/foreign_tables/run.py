#!/usr/bin/env python3
"""Reads every CSV inside some Python packages with `pellucid inspect --json` and says what came of it.

    tests/foreign_tables/run.py target/release/pellucid [FOLDER]

The packages are installed into a scratch environment under FOLDER (those that install); their tables are nobody's we
know. A file is *read*, *refused* (with the reason) or *suspicious*: read, but so that a person should look at it (no
header over words, text columns that are mostly digits, a single column, all cells missing). Needs nothing but Python.
"""

import collections
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile

PACKAGES = ["statsmodels", "lifelines", "vega_datasets", "pydataset"]


def install(folder):
    """Packages are unpacked, not run: their tables are all that matters."""
    found = folder / "packages"
    if found.exists():
        return found
    venv.create(folder / "venv", with_pip=True)
    pip = folder / "venv" / "bin" / "pip"
    for package in PACKAGES:
        command = [pip, "download", "--quiet", "--no-deps", "--dest", folder / "wheels", package]
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
        if done.returncode:
            print(f"{package} does not install: {done.stderr.strip().splitlines()[-1:]}")
    for wheel in sorted((folder / "wheels").glob("*")):
        target = found / wheel.name.split("-")[0]
        if wheel.suffix == ".whl":
            zipfile.ZipFile(wheel).extractall(target)
        elif wheel.name.endswith(".tar.gz"):
            with tarfile.open(wheel) as archive:
                archive.extractall(target, filter="data")
    for packed in list(found.rglob("*.tar.gz")):
        with tarfile.open(packed) as archive:
            archive.extractall(packed.parent / "unpacked", filter="data")
    return found


def doubts(about, notes):
    """What a person should look at."""
    details = about["details"]
    found = []
    if "no header found" in notes:
        found.append("no header recognised")
    if len(details) == 1 and details[0].get("type") in ("text", "category"):
        found.append("a single column of words")
    for column in details:
        digits = sum(c.isdigit() for c in column.get("detail", ""))
        if column.get("type") == "text" and digits > 0.6 * len(column["detail"].replace("such as", "").strip(' "')):
            found.append(f"text of digits: {column['name']}: {column['detail']}")
        if about["rows"] and column.get("missing") == about["rows"]:
            found.append(f"nothing but gaps: {column['name']}")
    return found


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp()).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    packages = install(folder)
    counts = collections.Counter()
    for path in sorted(packages.rglob("*.csv")) + sorted(packages.rglob("*.csv.gz")):
        # What macOS leaves beside files is no table.
        if path.name.startswith("._"):
            continue
        short = path.relative_to(packages)
        done = subprocess.run([str(program), "inspect", str(path), "--json"], capture_output=True, text=True)
        if done.returncode:
            counts["refused"] += 1
            print(f"refused     {short}: {done.stderr.strip().splitlines()[-1].replace(str(packages), '')}")
            continue
        found = doubts(json.loads(done.stdout), done.stderr)
        counts["suspicious" if found else "read"] += 1
        if found:
            print(f"suspicious  {short}: {'; '.join(found[:3])}")
    print(f"{sum(counts.values())} files: " + ", ".join(f"{counts[k]} {k}" for k in ("read", "refused", "suspicious")))


main()
