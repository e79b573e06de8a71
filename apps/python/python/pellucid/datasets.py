"""Synthetic data sets from the literature."""

from __future__ import annotations

from . import _core
from ._files import bunch

__all__ = ["generate", "names"]


def names():
    """Every problem with what it is and its settings."""
    return dict(_core.problems())


def generate(name, *, random_state=0, **settings):
    """Generates a data set; see ``names()`` for the list.

    Gives a ``Bunch`` with ``data``, ``target``, ``feature_names`` and ``target_names``.

    Examples
    --------
    >>> from pellucid.datasets import generate
    >>> moons = generate("two-moons", random_state=1)
    >>> moons.data.shape[1]
    2
    """
    return bunch(_core.generate(name.replace("_", "-"), settings, random_state))
