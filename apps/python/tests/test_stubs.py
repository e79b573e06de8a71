"""The stubs say what the package is; examples in docstrings run."""

import ast
import doctest
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import pellucid

HERE = Path(__file__).parent.parent


def test_stubs_are_current():
    done = subprocess.run([sys.executable, HERE / "stubs.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_stubs_name_everything():
    stub = ast.parse((HERE / "python" / "pellucid" / "__init__.pyi").read_text())
    named = {node.name for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    wanted = {n for n in pellucid.__all__ if inspect.isclass(getattr(pellucid, n)) or callable(getattr(pellucid, n))}
    assert wanted - named == {"TrialRegressor"}
    described = next(node for node in stub.body if getattr(node, "name", "") == "LogisticRegression")
    assert {"fit", "predict", "predict_proba", "explain"} <= {getattr(node, "name", "") for node in described.body}


@pytest.mark.parametrize("module", ["_options", "_explain", "datasets"])
def test_examples_of_docstrings_run(module):
    found = doctest.testmod(__import__(f"pellucid.{module}", fromlist=["x"]))
    assert found.attempted > 0 and found.failed == 0


def blocks(path):
    """The examples of a page in Python."""
    return [part.split("```")[0] for part in path.read_text().split("```python\n")[1:]]


ROOT = HERE.parent.parent
# Model files are read without the package; the example needs the file of the README.
PAGES = [ROOT / "README.md", *sorted(page for page in (ROOT / "docs/src").rglob("*.md") if page.name != "model-files.md")]


@pytest.mark.parametrize("page", [str(page.relative_to(ROOT)) for page in PAGES if blocks(page)])
def test_examples_of_the_documents_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = blocks(ROOT / page)
    assert found
    space = {}
    for block in found:
        exec(compile(block, page, "exec"), space)
