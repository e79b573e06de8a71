"""Pellucid: explainable machine learning.

Estimators of scikit-learn's kind, one for each learner and step of the catalog, each with a certificate of its fit;
explanations of what they say, models as files, data, reports and comparisons.
"""

from . import _make, datasets
from ._base import FitWarning
from ._certificate import Certificate
from ._core import Machine, __version__
from ._explain import Explanation, explain, methods
from ._files import load, read, save
from ._judge import compare, report
from ._options import options

_CLASSES = _make.classes()
globals().update(_CLASSES)


def estimators():
    """Every class of the catalog."""
    return list(_CLASSES.values())


__all__ = [
    "Certificate",
    "Explanation",
    "FitWarning",
    "Machine",
    "__version__",
    "compare",
    "datasets",
    "estimators",
    "explain",
    "load",
    "methods",
    "options",
    "read",
    "report",
    "save",
    *sorted(_CLASSES),
]
