"""Pellucid: learning machines you can see through.

Estimators of scikit-learn's kind, one for each learner and step of the catalog, each with a certificate of its fit.
"""

from . import _make
from ._base import FitWarning
from ._certificate import Certificate
from ._core import Machine, __version__
from ._options import options

_CLASSES = _make.classes()
globals().update(_CLASSES)


def estimators():
    """Every class of the catalog."""
    return list(_CLASSES.values())


__all__ = ["Certificate", "FitWarning", "Machine", "__version__", "estimators", "options", *sorted(_CLASSES)]
