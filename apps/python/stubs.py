"""Writes the type stubs of the package: ``python apps/python/stubs.py`` (with ``--check``: says whether they are current).

Classes come from the catalog; what is written by hand in Python is described by its own signatures.
"""

from __future__ import annotations

import inspect
import os
import sys
from pathlib import Path

os.environ.pop("PELLUCID_TRIAL", None)  # The learner that only the tests know has no stub.

import pellucid  # noqa: E402
from pellucid import _core, _make  # noqa: E402

TYPES = {"number": "float", "whole": "int", "flag": "bool", "text": "str | float", "list": "Sequence[float]"}
TYPES |= {"learner": "str", "class weights": "Mapping[Any, float] | str"}
OWN = {
    "estimator": "BaseEstimator | None",
    "class_weight": "Mapping[Any, float] | str | None",
    "warm_start": "bool",
    "random_state": "int | Any | None",
    "n_jobs": "int | None",
}
HEAD = '''"""Types of the package; written by stubs.py, do not change by hand."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch

from . import datasets as datasets

__version__: str
__all__: list[str]

class FitWarning(UserWarning): ...

class Certificate:
    converged: bool
    interrupted: bool
    steps: int
    objective: float | None
    gap_kind: str
    gap: float | None
    warnings: tuple[str, ...]
    facts: dict[str, Any]

class Machine:
    @property
    def outputs(self) -> dict[str, Any]: ...
    @property
    def inputs(self) -> dict[str, Any]: ...
    @property
    def certificate(self) -> dict[str, Any]: ...
    def record(self) -> bytes: ...
    @staticmethod
    def read(bytes: bytes) -> Machine: ...

class Explanation:
    values: Any
    features: list[str]
    scores: np.ndarray
    outputs: np.ndarray
    balance: dict[str, np.ndarray] | None
    method: str
    note: str | None
    def __len__(self) -> int: ...
    def to_pandas(self) -> Any: ...
    def plot(self, row: int = 0) -> str: ...

def compare(
    models: Sequence[BaseEstimator] | Mapping[str, BaseEstimator],
    X: Any,
    y: Any,
    *,
    folds: int = 5,
    repeats: int = 1,
    measure: str | None = None,
    path: str | PathLike[str] | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Bunch: ...
def estimators() -> list[type[BaseEstimator]]: ...
def explain(model: Any, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
def load(
    model: str | PathLike[str] | bytes,
    *,
    shift: float | Sequence[float] | None = None,
    factor: float | Sequence[float] | None = None,
    node: str | None = None,
    names: Sequence[str] | str | PathLike[str] | None = None,
    softmax: bool = False,
) -> Any: ...
def methods(model: Any) -> dict[str, str]: ...
def options(
    *,
    memory: int | str | None = None,
    time: float | None = None,
    progress: Callable[[str, int, int | None, float | None], Any] | Literal[True] | None = None,
) -> AbstractContextManager[None]: ...
def read(path: str | PathLike[str], target: str | None = None) -> Bunch: ...
def report(model: BaseEstimator, X: Any, y: Any, path: str | PathLike[str] | None = None) -> str: ...
def save(model: BaseEstimator, path: str | PathLike[str]) -> None: ...
'''


def method(name, function):
    """The stub of a method, from its signature."""
    spots = []
    for p in inspect.signature(function).parameters.values():
        if p.name == "self":
            spots.append("self")
        elif p.kind is p.VAR_KEYWORD:
            spots.append(f"**{p.name}: Any")
        elif p.default is p.empty:
            spots.append(f"{p.name}: Any")
        else:
            kind = "str | None" if p.name == "method" else "Any"
            spots.append(f"{p.name}: {kind} = {p.default!r}")
    given = {"explain": "Explanation", "fit": "Self", "partial_fit": "Self", "score": "float", "details": "dict[str, np.ndarray]"}.get(name)
    given = given or ("Any" if name == "transform" else "np.ndarray")
    return f"    def {name}({', '.join(spots)}) -> {given}: ..."


def described(entry, role, name):
    """The stub of one class."""
    kinds = {p["name"]: p for p in entry["params"]}
    lines = [f"class {name}(BaseEstimator):", "    machine_: Machine", "    certificate_: Certificate"]
    lines.append("    n_features_in_: int")
    lines += ["    classes_: np.ndarray"] if role == "classifier" else []
    spots = []
    for own, default, _ in _make.settings(entry, role):
        lines.append(f"    {own}: {kind(own, kinds)}")
        spots.append(f"{own}: {kind(own, kinds)} = {default!r}")
    spots.insert(len(spots) > 1, "*")
    lines += ["    def __init__(", "        self,", *(f"        {spot}," for spot in spots), "    ) -> None: ..."]
    made = getattr(pellucid, name)
    return "\n".join(lines + [method(n, function) for n, function in sorted(methods(made).items())])


def methods(made):
    """The public methods that are our own, not inherited from scikit-learn."""
    found = {}
    for home in reversed([c for c in made.__mro__ if c.__module__.startswith("pellucid")]):
        for name, given in vars(home).items():
            given = getattr(given, "fn", given)  # A method that is there for some settings only.
            if not name.startswith("_") and inspect.isfunction(given):
                found[name] = given
    return found


def kind(name, kinds):
    """The type of a setting; None stands for the default of each."""
    if name in OWN:
        return OWN[name]
    p = kinds[name]
    if p["words"]:
        words = [*p["words"], *(alias for alias, _ in p["aliases"])]
        number = "float | " if p["kind"] == "number or word" else ""
        return f"{number}Literal[{', '.join(repr(w) for w in words)}] | None"
    return TYPES[p["kind"]] + " | None"


def text():
    """The whole stub."""
    known = {name for entry in _core.catalog() for role, name in entry["python"] if role in _make._ROLES}
    assert known == {cls.__name__ for cls in pellucid.estimators()}
    parts = {}
    for entry in _core.catalog():
        for role, name in entry["python"]:
            if role in _make._ROLES and name != "TrialRegressor":
                parts[name] = described(entry, role, name)
    return HEAD + "".join(f"\n{parts[name]}\n" for name in sorted(parts))


PLACE = Path(__file__).parent / "python" / "pellucid" / "__init__.pyi"

if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if PLACE.read_text() == text() else f"{PLACE.name} is old: run {Path(__file__).name}")
    PLACE.write_text(text())
