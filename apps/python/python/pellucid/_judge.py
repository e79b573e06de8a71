"""Evaluation: a report on one model, a comparison of several."""

from __future__ import annotations

import os

import numpy as np
from sklearn.base import clone
from sklearn.utils import Bunch

from . import _base, _border, _core, _wrap
from ._options import limits


def _rows(model, X, y, reset):
    inputs, _ = model._inputs(X, reset=reset)
    y = np.asarray(y)
    if isinstance(model, _base.Classifier):
        classes = np.unique(y) if reset else model.classes_[model._columns]
        codes = _base._codes(classes, y, "was not seen in training")
        targets = ("classes", codes, [_base._class_name(c) for c in classes])
    elif isinstance(model, _base.Regressor):
        targets = ("values", _border.contiguous(y, dtype=np.float64), ["y"])
    else:
        raise TypeError(f"{type(model).__name__}: only classifiers and regressors can be evaluated")
    names = vars(model).get("feature_names_in_")
    names = None if names is None else [str(name) for name in names]
    return inputs, targets, names, vars(model).get("_shape")


def report(model, X, y, path=None):
    """A report on a fitted model and its performance on labelled rows, as one self-contained HTML file.

    Writes it to ``path`` if given, and gives its text.
    """
    _base.check_is_fitted(model)
    model = _wrap.plain(model)
    path = None if path is None else os.fspath(path)
    rows = _rows(model, X, y, reset=False)
    return _core.report(model.machine_, rows, "the rows given", path, limits(0, model.n_jobs))


def compare(models, X, y, *, folds=5, repeats=1, measure=None, path=None, random_state=0, n_jobs=None):
    """Compares estimators on the same held-out rows.

    Parameters
    ----------
    models : list or dict of estimators
        Estimators of Pellucid, or pipelines of scikit-learn made of them; they stay unfitted.
    X, y
        Rows and targets.
    folds, repeats : int
        How the rows are split, by class.
    measure : str, optional
        Such as ``"accuracy"``, ``"balanced_accuracy"`` or ``"rmse"``; by default the usual one for the targets.
    path : optional
        Where to write the comparison as an HTML file.

    Returns
    -------
    Bunch
        ``machine``, ``mean``, ``deviation``, ``rank``, ``p_t`` and ``p_mcnemar`` (against the best), ``folds``, in the
        order given; ``best`` and ``measure``.
    """
    if not isinstance(models, dict):
        models = {_name(model): model for model in models} if _differ(models) else {
            f"{_name(model)} {i}": model for i, model in enumerate(models)
        }
    named, first = [], None
    for name, model in models.items():
        parts = [step for _, step in model.steps] if hasattr(model, "steps") else [model]
        parts = [_wrap.plain(clone(part)) for part in parts]
        for part in parts:
            if not isinstance(part, _base.Estimator):
                raise TypeError(f"{name}: {type(part).__name__} is not an estimator of Pellucid")
        role = isinstance(parts[-1], _base.Classifier)
        if first is not None and role != isinstance(first, _base.Classifier):
            raise ValueError("models must all be classifiers or all be regressors")
        first = parts[-1] if first is None else first
        named.append((str(name), [step for part in parts for step in part._steps()]))
    if first is None:
        raise ValueError("models: expected at least 1, found 0")
    rows = _rows(first, X, y, reset=True)
    path = None if path is None else os.fspath(path)
    return Bunch(**_core.compare(named, rows, folds, repeats, measure, path, limits(random_state, n_jobs)))


def _name(model):
    return type(model[-1] if hasattr(model, "steps") else model).__name__


def _differ(models):
    return len({_name(model) for model in models}) == len(models)
