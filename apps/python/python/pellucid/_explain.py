"""Explanations: attributions of predictions to columns."""

from __future__ import annotations

import html
import itertools
import os
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from . import _border, _core, _wrap
from ._options import warn

_PREFIX = itertools.count()


@dataclass(frozen=True, repr=False)
class Explanation:
    """An explanation of the predictions for some rows.

    Attributes
    ----------
    values : array of shape (rows, columns)
        Relevance of each column for each row.
    features : list of str
        What the columns are called.
    scores : array of shape (rows, outputs)
        What the machine itself says.
    outputs : array of shape (rows,)
        The output that was explained, for each row; classes of a classifier.
    balance : dict of arrays, or None
        ``score = sum + absorbed + lost`` for each row, for methods that keep accounts.
    method : str
        The method.
    note : str or None
        What one should know of it.
    """

    values: np.ndarray
    features: list
    scores: np.ndarray
    outputs: np.ndarray
    balance: dict | None
    method: str
    note: str | None = None
    _shape: tuple | None = field(default=None, repr=False)
    _points: np.ndarray | None = field(default=None, repr=False)

    @classmethod
    def of(cls, said, outputs, extra=0, names=None):
        """An explanation from what the compiled part says."""
        scores, points = _border.array(said["scores"]), _border.array(said["points"])
        values = _border.array(said["values"])
        balance = said.get("balance")
        features = list(said["features"])
        if names is not None and len(names) == len(features) and features == [str(i) for i in range(len(names))]:
            features = [str(name) for name in names]
        for text in said["warnings"]:
            warn(text)
        shown = said["shape"] and points.shape == values.shape and not sp.issparse(points)
        return cls(
            values=values,
            features=features,
            scores=scores[:, : scores.shape[1] - extra] if extra else scores,
            outputs=np.array([outputs[i] for i in _border.array(said["outputs"])]),
            balance=balance and {name: _border.array(part) for name, part in balance.items()},
            method=said["method"],
            note=said["note"],
            _shape=tuple(said["shape"]) if shown else None,
            _points=points if shown else None,
        )

    def __len__(self):
        return self.values.shape[0]

    def __repr__(self):
        rows, columns = self.values.shape
        return f"Explanation(method={self.method!r}, rows={rows}, columns={columns})"

    def _row(self, row):
        values = self.values[row]
        return values.toarray()[0] if sp.issparse(values) else np.asarray(values)

    def to_pandas(self):
        """A data frame with one column per feature."""
        import pandas as pd

        values = self.values.toarray() if sp.issparse(self.values) else self.values
        return pd.DataFrame(values, columns=self.features)

    def plot(self, row=0):
        """A figure for one row as SVG text: bars of the most relevant columns, or a heat map."""
        row = range(len(self))[row]
        pixels = [] if self._points is None else self._points[row].tolist()
        title = f"Row {row}: {self.outputs[row]} by {self.method}"
        prefix = f"pellucid{next(_PREFIX)}-"
        shape = None if self._shape is None else list(self._shape)
        return _core.draw(title, self.features, self._row(row).tolist(), pixels, shape, prefix)

    def _repr_html_(self):
        shown = min(len(self), 5)
        parts = [f"<p>{html.escape(repr(self))}" + (f": {html.escape(self.note)}" if self.note else "") + "</p>"]
        parts += [f"<div>{self.plot(row)}</div>" for row in range(shown)]
        if shown < len(self):
            parts.append(f"<p>and {len(self) - shown} more rows</p>")
        return "".join(parts)


def _model(model):
    """An estimator from whatever names one: itself, a path, or the bytes of an ONNX file."""
    from ._files import load

    if isinstance(model, (str, os.PathLike, bytes, bytearray, memoryview)):
        return load(model)
    if not hasattr(model, "explain") and not hasattr(model, "steps"):
        raise TypeError(f"model: expected an estimator of Pellucid, a path or bytes, found {type(model).__name__}")
    return model


def explain(model, X, method=None, output=None, **settings):
    """Explains the predictions of a model for the rows of X.

    Parameters
    ----------
    model : estimator, pipeline, path or bytes
        A fitted estimator, a pipeline of scikit-learn whose last step is one (it is explained in the columns that
        this step gets), a model file (``.pel``, ``.onnx``, LIBSVM), or the bytes of an ONNX file.
    X, method, output, **settings
        As in the method ``explain`` of every estimator.

    Examples
    --------
    >>> import pellucid
    >>> model = pellucid.LogisticRegression().fit([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [3.0, 1.0]], [0, 0, 1, 1])
    >>> why = pellucid.explain(model, [[3.0, 1.0]], method="input-gradient")
    >>> bool(abs(why.values[0, 0]) > abs(why.values[0, 1]))
    True
    """
    model = _model(model)
    if hasattr(model, "steps"):
        names = getattr(model[-1], "feature_names_in_", None)
        X = model[:-1].transform(X) if len(model.steps) > 1 else X
        if names is None and hasattr(X, "iloc"):
            X = X.to_numpy()
        model = model[-1]
    return model.explain(X, method=method, output=output, **settings)


def methods(model):
    """The explanation methods that fit a model (estimator, path or bytes), with a description of each."""
    model = _model(model)
    model = _wrap.plain(model[-1] if hasattr(model, "steps") else model)
    return {word: about for word, about, why_not in _core.methods(model.machine_) if why_not is None}
