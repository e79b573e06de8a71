"""Arrays, sparse matrices and data frames as the compiled part takes them, and what it gives back as arrays."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

_UNKNOWN = np.uint32(0xFFFFFFFF)


def contiguous(array, dtype=None):
    """An array with contiguous rows of aligned numbers, a copy if it has not: arrays that came over a network may begin anywhere."""
    return np.require(np.ascontiguousarray(array, dtype=dtype), requirements=["C_CONTIGUOUS", "ALIGNED"])


def points(X):
    """A checked array or sparse matrix; arrays of float64 and float32 with contiguous rows are not copied."""
    if not sp.issparse(X):
        return ("dense", contiguous(X))
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if X.shape[1] > 2**32:
        raise ValueError(f"columns: expected at most {2**32}, found {X.shape[1]}")
    ids = X.indices.view(np.uint32) if X.indices.dtype == np.int32 else X.indices.astype(np.uint32)
    starts = contiguous(X.indptr, dtype=np.uintp)
    return ("sparse", starts, contiguous(ids), contiguous(X.data, dtype=np.float64), X.shape[1])


def is_frame(X):
    """Whether X has named columns of possibly different types (pandas, polars, Arrow)."""
    return hasattr(X, "columns") and any(hasattr(X, name) for name in ("iloc", "column_names", "get_column"))


def known_frame(X):
    """A frame of polars or Arrow as one of pandas, whose names every scikit-learn keeps; as it is without pandas."""
    if not is_frame(X) or hasattr(X, "iloc"):
        return X
    try:
        import pandas as pd
    except ImportError:
        return X
    return pd.DataFrame({name: _values(column) for name, column in frame_columns(X)})


def frame_columns(X):
    """Names and columns of a data frame or an Arrow table."""
    if hasattr(X, "column_names"):
        return [(str(name), X.column(i)) for i, name in enumerate(X.column_names)]
    if hasattr(X, "iloc"):
        return [(str(name), X.iloc[:, i]) for i, name in enumerate(X.columns)]
    return [(str(name), X[name]) for name in X.columns]


def is_typed(X):
    """Whether X has columns that are not numeric."""
    if is_frame(X):
        return any(_values(column).dtype.kind not in "biuf" for _, column in frame_columns(X))
    return not sp.issparse(X) and np.asarray(X).dtype.kind in "OUS"


def rows(inputs):
    """How many rows inputs for the compiled part have."""
    if inputs[0] == "dense":
        return inputs[1].shape[0]
    return len(inputs[1]) - 1 if inputs[0] == "sparse" else len(inputs[1][0][2])


def table(columns, words):
    """Typed columns: numbers stay numbers; words become categories or texts, as given for all or by name."""
    kind = words.get if isinstance(words, dict) else lambda _: words
    return ("table", [_column(name, column, kind(name)) for name, column in columns])


def _values(column):
    if hasattr(column, "chunks"):
        return column.to_numpy(zero_copy_only=False)
    return np.asarray(column)


def _column(name, column, words):
    values = _values(column)
    if values.dtype.kind in "biuf":
        return (name, "number", contiguous(values, dtype=np.float64))
    values = values.astype(object)
    missing = np.array([v is None or v != v for v in values], dtype=bool)
    present = values[~missing]
    if all(isinstance(v, (int, float, np.number)) for v in present):
        numbers = np.full(len(values), np.nan)
        numbers[~missing] = present.astype(np.float64)
        return (name, "number", numbers)
    for value in present:
        if not isinstance(value, (str, bytes, int, float, np.generic)):
            kind = type(value).__name__
            raise TypeError(f"column {name!r}: argument must be a string or a number, not {kind}")
    if words == "text":
        return (name, "text", [None if gone else str(v) for v, gone in zip(values, missing)])
    levels, codes = np.unique(np.array([str(v) for v in present], dtype=object), return_inverse=True)
    every = np.full(len(values), _UNKNOWN, dtype=np.uint32)
    every[~missing] = codes
    return (name, "category", every, [str(level) for level in levels])


def array(given):
    """Numbers of the compiled part as an array, without another copy."""
    if given[0] == "sparse":
        _, starts, ids, values, columns = given
        starts, ids, values = array(starts), array(ids), array(values)
        return sp.csr_matrix((values, ids.astype(np.int32), starts.astype(np.int64)), shape=(len(starts) - 1, columns))
    data, kind, shape = given
    return np.frombuffer(data, dtype=kind).reshape(shape)
