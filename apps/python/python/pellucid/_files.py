"""Models and data as files. There is no code in a model file, whatever its format."""

from __future__ import annotations

import os

import numpy as np
from sklearn.utils import Bunch

from . import _base, _border, _core, _make, _wrap
from ._options import limits, warn

_MEANINGS = {"classes": "classifier", "values": "regressor", "outlier": "detector", "features": "transformer"}


def save(model, path):
    """Writes a fitted estimator to a file, whole or not at all.

    The ending says the format: ``.pel`` (everything), ``.onnx``, ``.model`` (LIBSVM, LIBLINEAR, for their machines). What a format
    cannot hold is an error or a warning.
    """
    _base.check_is_fitted(model)
    model = _wrap.plain(model)
    for note in _core.save(model.machine_, os.fspath(path), limits(0, model.n_jobs)):
        warn(note, _base.FitWarning)


def load(model, *, shift=None, factor=None, node=None, names=None, softmax=False):
    """An estimator from a file (``.pel``, ``.onnx``, LIBSVM, LIBLINEAR; recognised by content) or from the bytes of an ONNX file.

    Classes whose names are numbers become numbers. A model that was made on the command line takes data frames with
    the columns it was fitted on, in any order.

    Parameters
    ----------
    model : path or bytes
        The file, or the bytes of an ONNX file that needs no other.
    shift, factor : number or list of numbers, for ONNX files
        (x - shift) * factor goes into the network; one number, or one for each channel.
    node : str, for ONNX files
        The node whose activations come out, instead of the output.
    names : list of str or path, for ONNX files
        What the outputs are called: a name each, or a text or JSON file with them.
    softmax : bool, for ONNX files
        Whether scores become probabilities by a softmax, where the network does not end in one.
    """
    listed = isinstance(names, (list, tuple, np.ndarray))
    how = dict(
        shift=_list(shift),
        factor=_list(factor),
        node=node,
        names=[str(name) for name in names] if listed else [],
        labels=None if listed or names is None else os.fspath(names),
        softmax=bool(softmax),
    )
    if isinstance(model, (bytes, bytearray, memoryview)):
        machine, about = _core.load_onnx(bytes(model), how, limits())
    else:
        machine, about = _core.load(os.fspath(model), how, limits())
    return _estimator(machine, about)


def _list(numbers):
    """No, one or several numbers as a list."""
    return [] if numbers is None else np.atleast_1d(np.asarray(numbers, dtype=np.float64)).tolist()


def _estimator(machine, about):
    role = _MEANINGS.get(machine.outputs["meaning"], "transformer")
    entry = next((e for e in _core.catalog() if e["name"] == about["learner"] and e["kind"] != "wrapper"), None)
    names = dict((r, name) for r, name in entry["python"]) if entry else {}
    # What tells clusters apart has scores of classes that nobody named.
    for other in ("clusterer", "density"):
        role = other if role == "classifier" and role not in names and other in names else role
    if role in names:
        made = _classes()[names[role]]
        # Weights of classes are part of the rows' weights here, and written otherwise on the command line.
        known = set(made().get_params(deep=False)) - {"class_weight"}
        model = made(**{k: _whole(v) for k, v in about["settings"].items() if k in known})
        if "random_state" in known:
            model.random_state = about["seed"]
    else:
        model = _LOADED[role]()
        entry = None
    takes = machine.inputs
    entry = dict(entry or _unknown(about["learner"], role))
    entry["shaped"] = takes["shape"] is not None
    if takes["table"]:
        entry.update(points=False, table=True, columns=None)
        model._kinds = {n: "text" if k == "text" else "category" for n, k in zip(takes["names"], takes["kinds"])}
    model._entry = entry
    model.machine_ = machine
    model.certificate_ = _base.Certificate.of(machine)
    model.n_features_in_ = takes["count"]
    model._shape = takes["shape"] and tuple(takes["shape"])
    if takes["names"] is not None:
        model.feature_names_in_ = np.array(takes["names"], dtype=object)
    if role == "classifier":
        found = _class_values(machine.outputs["names"][: model._count()])
        model.classes_ = np.unique(found)
        model._columns = np.searchsorted(model.classes_, found)
    return model


def _whole(value):
    """A list of whole numbers as such."""
    listed = isinstance(value, tuple) and all(x == int(x) for x in value)
    return tuple(int(x) for x in value) if listed else value


def _classes():
    import pellucid

    return {cls.__name__: cls for cls in pellucid.estimators()}


def _class_values(names):
    """Classes from their names: whole numbers and numbers where all are written so."""
    for kind in (int, float):
        try:
            values = [kind(name) for name in names]
        except ValueError:
            continue
        if [str(v) for v in values] == names:
            return np.array(values)
    if set(names) <= {"True", "False"}:
        return np.array([name == "True" for name in names])
    return np.array(names)


def _unknown(name, role):
    """The description of a machine that no learner of the catalog made."""
    targets = {"classifier": "classes", "regressor": "values"}.get(role, "nothing")
    return dict(
        name=name, kind="loaded", family="loaded", summary="a model from a file", python=[], params=[], targets=targets,
        least_classes=0, table=False, missing=True, weights=None, points=True, columns=None, shaped=False,
        weighs_classes=False, random=False, goes_on=False, portions=False,
    )  # fmt: skip


def _loaded(role):
    """A class for models from files that no learner of the catalog made."""

    def __init__(self, *, n_jobs=None):
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        """A model from a file cannot be fitted again."""
        raise TypeError("a model from a file cannot be fitted again")

    base = _make._ROLES[role]
    name = "Loaded" + base.__name__
    document = "A model from a file that no learner of the catalog made."
    space = {"__init__": __init__, "fit": fit, "__doc__": document, "__module__": __name__}
    return type(name, (base,), {**space, "_entry": _unknown("model", role)})


LoadedClassifier = _loaded("classifier")
LoadedRegressor = _loaded("regressor")
LoadedDetector = _loaded("detector")
LoadedTransformer = _loaded("transformer")
_LOADED = {
    "classifier": LoadedClassifier,
    "regressor": LoadedRegressor,
    "detector": LoadedDetector,
    "transformer": LoadedTransformer,
}


def read(path, target=None):
    """Data from a file of any format, recognised by content.

    Gives a ``Bunch`` with ``data`` (a data frame for tables, else an array or a sparse matrix; images keep their
    shape), ``target`` (or None), ``feature_names`` and ``target_names``. ``target`` names the column that becomes it.
    """
    return bunch(_core.read(os.fspath(path), target, limits()))


def bunch(said):
    """Data of the compiled part as scikit-learn gives data."""
    names = said["names"]
    if "columns" in said:
        data = _frame(said["columns"])
        names = list(data.columns)
    else:
        data = _border.array(said["points"])
        if said["shape"] and isinstance(data, np.ndarray):
            data = data.reshape(len(data), *said["shape"])
    target, target_names = None, None
    if "targets" in said:
        word, values, target_names = said["targets"]
        if word == "classes":
            classes = _class_values(target_names)
            codes = _border.array(values)
            if (codes == _border._UNKNOWN).any():
                classes, codes = np.append(classes.astype(object), None), np.minimum(codes, len(classes))
            target = classes[codes]
        elif word == "values":
            target = _border.array(values)
            target = target[:, 0] if target.shape[1] == 1 else target
        else:
            target = [[target_names[i] for i in row] for row in values]
    return Bunch(data=data, target=target, feature_names=names, target_names=target_names)


def _frame(columns):
    import pandas as pd

    made = {}
    for name, word, values, *levels in columns:
        if word == "number":
            made[name] = _border.array(values)
        elif word == "date":
            made[name] = pd.to_datetime(_border.array(values), unit="s")
        elif word == "category":
            codes = _border.array(values)
            codes = np.where(codes == _border._UNKNOWN, -1, codes.astype(np.int64))
            made[name] = pd.Categorical.from_codes(codes, categories=levels[0])
        else:
            made[name] = values
    return pd.DataFrame(made)
