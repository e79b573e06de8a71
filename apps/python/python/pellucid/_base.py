"""What scikit-learn asks of an estimator, written once for every learner of the catalog."""

from __future__ import annotations

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClusterMixin,
    DensityMixin,
    OutlierMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import ClassifierTags, check_random_state, compute_sample_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_feature_names_in,
    _check_sample_weight,
    check_is_fitted,
    validate_data,
)

from . import _border, _core
from ._certificate import Certificate
from ._options import limits, warn

_OWN = ("class_weight", "warm_start", "random_state", "n_jobs")


def seed(state):
    """The number that a ``random_state`` stands for."""
    if isinstance(state, (int, np.integer)) and not isinstance(state, bool):
        if not 0 <= state < 2**64:
            raise ValueError(f"random_state = {state}: must lie between 0 and 2**64 - 1")
        return int(state)
    if isinstance(state, np.random.Generator):
        return int(state.integers(2**63))
    return int(check_random_state(state).randint(2**31 - 1))


class FitWarning(UserWarning):
    """Something to know about a fit: rows left out, badly scaled columns, limits reached."""


class Estimator(BaseEstimator):
    """An estimator made of a line of the catalog, which is in ``_entry``."""

    _entry: dict

    # -- scikit-learn's questions

    def __sklearn_is_fitted__(self):
        return "machine_" in vars(self)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        entry = self._entry
        tags.input_tags.sparse = entry["points"]
        tags.input_tags.allow_nan = entry["missing"]
        tags.target_tags.required = entry["targets"] != "nothing"
        if entry["columns"] == "categories":
            tags.input_tags.categorical = True
        if entry["columns"] == "text":
            tags.input_tags.string, tags.input_tags.two_d_array = True, False
        if entry["shaped"]:
            tags.input_tags.three_d_array, tags.input_tags.two_d_array = True, False
        return tags

    def __getattr__(self, name):
        # What a machine is made of is read when it is asked for.
        if name.endswith("_") and not name.startswith("_") and "machine_" in vars(self):
            found = vars(self)["machine_"].attributes()
            if name in found:
                value = found[name]
                return _border.array(value) if isinstance(value, tuple) else value
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    # -- inputs

    def _inputs(self, X, y="no_validation", *, reset):
        """X (and y) as the compiled part takes them."""
        X = _border.known_frame(X)
        if not self._entry["points"] or (self._entry["table"] and _border.is_typed(X)):
            return self._table(X, reset=reset), None
        X = self._flat(X, reset=reset)
        checks = dict(accept_sparse="csr", dtype=[np.float64, np.float32], order="C", ensure_all_finite=False)
        checks["ensure_min_samples"] = 2 if reset and self._entry.get("splits") else 1
        if isinstance(y, str):
            return _border.points(validate_data(self, X, reset=reset, **checks)), None
        X, y = validate_data(self, X, y, reset=reset, y_numeric=self._entry["targets"] == "values", **checks)
        return _border.points(X), y

    def _table(self, X, *, reset):
        """A table of typed columns."""
        kinds = vars(self).get("_kinds")
        if kinds is not None and not reset:
            if not _border.is_frame(X):
                raise TypeError(f"this model takes a data frame with the columns {', '.join(kinds)}")
            return _border.table(_border.frame_columns(X), words=kinds)
        text = self._entry["columns"] == "text"
        if text and not _border.is_frame(X) and np.ndim(X) == 1:
            if isinstance(X, str):
                raise ValueError("X is a single string: expected a list of strings or a data frame")
            columns = [("text", X)]
            if reset:
                self.n_features_in_ = 1
        elif _border.is_frame(X):
            validate_data(self, X, reset=reset, skip_check_array=True)
            columns = _border.frame_columns(X)
        else:
            X = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite=False)
            columns = [(str(i), X[:, i]) for i in range(X.shape[1])]
        return _border.table(columns, words="text" if text else "category")

    def _flat(self, X, *, reset):
        """Images and time series as rows, with their shape kept."""
        if not self._entry["shaped"] or np.ndim(X) < 3:
            if reset:
                self._shape = None
            return X
        X = np.asarray(X)
        if reset:
            self._shape = X.shape[1:]
            return X.reshape(len(X), -1)
        shape = self._shape
        if X.shape[1:] != shape and shape is not None:
            # A single channel may be written or left out; channels may come first, as networks like them.
            if X.shape[1:] in ((*shape, 1), (1, *shape)):
                X = X.reshape(len(X), *shape)
            elif X.ndim == 4 and len(shape) == 3 and X.shape[1:] == (shape[2], *shape[:2]):
                X = X.transpose(0, 2, 3, 1)
        if X.shape[1:] != self._shape:
            raise ValueError(f"images: expected {self._shape}, found {X.shape[1:]}")
        return X.reshape(len(X), -1)

    # -- fitting

    def _steps(self):
        """The learner with its settings, for the compiled part."""
        own = {p["name"] for p in self._entry["params"]} - set(_OWN)
        before = vars(self).get("_before", [])
        return [*before, (self._entry["name"], {name: getattr(self, name) for name in own})]

    def _held_by(self, step, seed, holder):
        """This estimator with a step before its learner that draws with a seed of its own."""
        self._before = [step, *vars(self).get("_before", [])]
        self._mixed = seed + vars(self).get("_mixed", 0)
        both = {name: holder[name] or self._entry.get(name, False) for name in ("shaped", "splits")}
        self._entry = {**self._entry, **_core.asks(self._steps()), **both}
        return self

    def _seed(self):
        own = seed(self.random_state) if "random_state" in self.get_params(deep=False) else 0
        # A step that draws and a learner that draws share one seed; 0 leaves the other as it is.
        return (own + vars(self).get("_mixed", 0) * 1_000_003) % 2**64

    def _learn(self, inputs, targets, weights, portion=False):
        start = None
        if portion or getattr(self, "warm_start", False):
            start = vars(self).get("machine_")
        names = vars(self).get("feature_names_in_")
        names = None if names is None else [str(name) for name in names]
        machine, interrupt, notes = _core.fit(
            self._steps(),
            inputs,
            targets,
            weights,
            names,
            vars(self).get("_shape"),
            start,
            portion,
            limits(self._seed(), self.n_jobs),
        )
        self.machine_ = machine
        self.certificate_ = Certificate.of(machine)
        if "max_iter" in self.get_params(deep=False):
            self.n_iter_ = max(1, self.certificate_.steps)
        for text in notes:
            warn(text, FitWarning)
        for text in self.certificate_.warnings:
            warn(text, FitWarning)
        if not (portion or self.certificate_.converged or self.certificate_.interrupted):
            warn(f"{type(self).__name__} did not converge; certificate_ has the optimality gap", ConvergenceWarning)
        return interrupt

    def _begins(self, portion):
        """Whether columns are learned anew: not where a portion follows others."""
        return not portion or "machine_" not in vars(self)

    def _weights(self, sample_weight, inputs, y=None):
        rows = _border.rows(inputs)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, np.empty((rows, 1)), dtype=np.float64)
        if y is not None and getattr(self, "class_weight", None) is not None:
            by_class = compute_sample_weight(self.class_weight, y)
            sample_weight = by_class if sample_weight is None else sample_weight * by_class
        return None if sample_weight is None else _border.contiguous(sample_weight, dtype=np.float64)

    # -- computing

    def _compute(self, X, probabilities=False):
        check_is_fitted(self)
        inputs, _ = self._inputs(X, reset=False)
        return _border.array(self.machine_.compute(inputs, probabilities, limits(0, self.n_jobs)))

    def _main(self, X):
        """The columns that are predictions, without side information."""
        scores = self._compute(X)
        extra = self.machine_.outputs["extra"]
        return scores[:, : scores.shape[1] - extra] if extra else scores

    def details(self, X):
        """Additional outputs by name: variances, p-values, ranks; empty for most estimators."""
        check_is_fitted(self)
        outputs = self.machine_.outputs
        extra = outputs["extra"]
        if not extra:
            return {}
        columns = self._compute(X)[:, -extra:]
        return {name: columns[:, i] for i, name in enumerate(outputs["names"][-extra:])}

    # -- explaining and storing

    def explain(self, X, method=None, output=None, **settings):
        """Explains the predictions for the rows of X.

        Parameters
        ----------
        X : array, sparse matrix or data frame
            The rows; what a method learns from, such as references, is taken from them too.
        method : str, optional
            One of ``pellucid.methods(model)``; by default the best that fits.
        output : optional
            The class, or the number of the output, that is explained; by default what is predicted for each row.
        **settings
            Settings of the method, such as ``steps=100``.

        Returns
        -------
        Explanation
            Relevance of each column for each row, with its accounts.
        """
        from ._explain import Explanation

        check_is_fitted(self)
        inputs, _ = self._inputs(X, reset=False)
        place = None if output is None else self._output(output)
        said = _core.explain(self.machine_, inputs, method, place, settings, limits(0, self.n_jobs))
        names = vars(self).get("feature_names_in_")
        return Explanation.of(said, self._told_outputs(), extra=self.machine_.outputs["extra"], names=names)

    def _told_outputs(self):
        """The names of the outputs."""
        return self.machine_.outputs["names"]

    def _output(self, output):
        """The index of an output, by index or name."""
        names = self.machine_.outputs["names"]
        if isinstance(output, str) and output in names:
            return names.index(output)
        if isinstance(output, (int, np.integer)) and 0 <= output < len(names):
            return int(output)
        raise ValueError(f"output = {output!r}: the outputs are {', '.join(names[:12])}")


def _finish(interrupt):
    """Raises the interrupt that cut a fit short, now that the best so far is stored."""
    if interrupt is not None:
        raise interrupt


def _gives_probabilities(self):
    return "machine_" in vars(self) and self.machine_.outputs["link"] != "none"


class Classifier(ClassifierMixin, Estimator):
    """A classifier."""

    def _fit(self, X, y, sample_weight=None):
        inputs, y = self._inputs(X, y, reset=True)
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
        weights = self._weights(sample_weight, inputs, y)
        names = [_class_name(c) for c in classes]
        interrupt = self._learn(inputs, ("classes", codes.astype(np.uint32), names), weights)
        self.classes_ = classes
        # A class whose rows all weigh nothing cannot be predicted; it keeps its column.
        place = {name: i for i, name in enumerate(names)}
        self._columns = np.array([place[name] for name in self.machine_.outputs["names"][: self._count()]])
        _finish(interrupt)
        return self

    def _partial_fit(self, X, y, classes=None, sample_weight=None):
        first = "machine_" not in vars(self)
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        inputs, y = self._inputs(X, y, reset=first)
        check_classification_targets(y)
        known = np.unique(classes) if first else self.classes_[self._columns]
        if not first and classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(f"classes = {classes!r}: earlier calls had {self.classes_!r}")
        codes = _codes(known, y, "is not one of the classes")
        weights = self._weights(sample_weight, inputs, y)
        targets = ("classes", codes, [_class_name(c) for c in known])
        interrupt = self._learn(inputs, targets, weights, portion=True)
        if first:
            self.classes_, self._columns = known, np.arange(len(known))
        _finish(interrupt)
        return self

    def _told_outputs(self):
        return list(self.classes_[self._columns])

    def _output(self, output):
        found = np.flatnonzero(self.classes_[self._columns] == output)
        if len(found) != 1:
            raise ValueError(f"output = {output!r}: the classes are {', '.join(map(str, self.classes_[:12]))}")
        return int(found[0])

    def _count(self):
        outputs = self.machine_.outputs
        return len(outputs["names"]) - outputs["extra"]

    def predict(self, X):
        """The predicted class of each row."""
        scores = self._main(X)
        return self.classes_[self._columns[np.argmax(scores, axis=1)]]

    def decision_function(self, X):
        """The scores of the classes; for two classes one score per row, above 0 for the second."""
        scores = self._main(X)
        if len(self.classes_) == 2 and scores.shape[1] == 2:
            difference = scores[:, 1] - scores[:, 0]
            # With probabilities behind the scores the difference is the log-odds, else half of it is the margin.
            return difference if self.machine_.outputs["link"] == "softmax" else 0.5 * difference
        return self._spread(scores, -np.inf)

    @available_if(_gives_probabilities)
    def predict_proba(self, X):
        """The probability of each class."""
        return self._spread(self._compute(X, probabilities=True), 0.0)

    @available_if(_gives_probabilities)
    def predict_log_proba(self, X):
        """The logarithm of the probability of each class."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _spread(self, columns, absent):
        if columns.shape[1] == len(self.classes_):
            return columns
        out = np.full((columns.shape[0], len(self.classes_)), absent)
        out[:, self._columns] = columns
        return out


def _codes(classes, y, unknown):
    """The place of each class of y among others; one that is not among them is refused."""
    order = np.argsort(classes)
    codes = order[np.searchsorted(classes, y, sorter=order).clip(max=len(classes) - 1)]
    if (classes[codes] != y).any():
        raise ValueError(f"y: the class {y[classes[codes] != y][0]!r} {unknown}")
    return codes.astype(np.uint32)


def _class_name(value):
    """A class as it is stored: numbers in their shortest form."""
    if isinstance(value, (float, np.floating)) and value == int(value):
        return str(int(value))
    return str(value)


class Regressor(RegressorMixin, Estimator):
    """A regressor."""

    def _fit(self, X, y, sample_weight=None, portion=False):
        inputs, y = self._inputs(X, y, reset=self._begins(portion))
        y = _border.contiguous(y, dtype=np.float64)
        weights = self._weights(sample_weight, inputs)
        _finish(self._learn(inputs, ("values", y, ["y"]), weights, portion))
        return self

    def _partial_fit(self, X, y, sample_weight=None):
        return self._fit(X, y, sample_weight, portion=True)

    def predict(self, X):
        """The predicted value of each row."""
        values = self._main(X)
        return values[:, 0] if values.shape[1] == 1 else values


class _Unsupervised(Estimator):
    def _fit_rows(self, X, sample_weight=None, portion=False):
        inputs, _ = self._inputs(X, reset=self._begins(portion))
        return inputs, self._learn(inputs, None, self._weights(sample_weight, inputs), portion)

    def _partial_fit(self, X, y=None, sample_weight=None):
        return self._fit(X, y, sample_weight, portion=True)


class Clusterer(ClusterMixin, _Unsupervised):
    """A clustering estimator."""

    def _fit(self, X, y=None, sample_weight=None, portion=False):
        inputs, interrupt = self._fit_rows(X, sample_weight, portion)
        found = self.machine_.attributes().get("labels_")
        if found is not None:
            labels = _border.array(found)
        else:
            labels = np.argmax(_border.array(self.machine_.compute(inputs, False, limits(0, self.n_jobs))), axis=1)
        self.labels_ = labels.astype(np.int64)
        _finish(interrupt)
        return self

    def predict(self, X):
        """The cluster of each row."""
        return np.argmax(self._main(X), axis=1)


class Density(DensityMixin, _Unsupervised):
    """A mixture model."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # It has ``predict_proba``, of which scikit-learn's checks ask as of a classifier.
        tags.classifier_tags = ClassifierTags()
        return tags

    def _fit(self, X, y=None, sample_weight=None, portion=False):
        _, interrupt = self._fit_rows(X, sample_weight, portion)
        _finish(interrupt)
        return self

    def predict(self, X):
        """The most likely component of each row."""
        return np.argmax(self._main(X), axis=1)

    def fit_predict(self, X, y=None):
        """Fits, and returns the component of each row."""
        return self.fit(X).predict(X)

    def predict_proba(self, X):
        """The posterior probability of each component."""
        return self._compute(X, probabilities=True)

    def score_samples(self, X):
        """The log-density of each row."""
        scores = self._main(X)
        top = scores.max(axis=1)
        return top + np.log(np.exp(scores - top[:, None]).sum(axis=1))

    def score(self, X, y=None):
        """The mean log-density."""
        return float(np.mean(self.score_samples(X)))


class Detector(OutlierMixin, _Unsupervised):
    """An anomaly detector."""

    #: Scores are above 0 for normal rows.
    offset_ = 0.0

    def _fit(self, X, y=None, sample_weight=None, portion=False):
        _, interrupt = self._fit_rows(X, sample_weight, portion)
        _finish(interrupt)
        return self

    def score_samples(self, X):
        """How normal each row is: the smaller, the more anomalous."""
        scores = -self._main(X)[:, 0]
        # Support vectors lie on the border, up to rounding, which must not make them anomalies.
        scores[np.abs(scores) < 1e-9] = 0.0
        return scores

    def decision_function(self, X):
        """How normal each row is; below 0 it is an anomaly."""
        return self.score_samples(X)

    def predict(self, X):
        """1 for normal rows, -1 for anomalies."""
        return np.where(self.decision_function(X) < 0, -1, 1)


class Transformer(TransformerMixin, _Unsupervised):
    """A transformer."""

    def _fit(self, X, y=None, sample_weight=None, portion=False):
        if self._entry["targets"] == "nothing":
            _, interrupt = self._fit_rows(X, sample_weight, portion)
        else:
            inputs, y = self._inputs(X, y, reset=self._begins(portion))
            weights = self._weights(sample_weight, inputs)
            interrupt = self._learn(inputs, self._targets(y), weights, portion)
        _finish(interrupt)
        return self

    @staticmethod
    def _targets(y):
        """Classes, unless the numbers are continuous."""
        if np.asarray(y).dtype.kind == "f" and not np.all(y == np.floor(y)):
            return ("values", _border.contiguous(y, dtype=np.float64), ["y"])
        classes, codes = np.unique(y, return_inverse=True)
        return ("classes", codes.astype(np.uint32), [_class_name(c) for c in classes])

    def transform(self, X):
        """The transformed rows."""
        return self._compute(X)

    def get_feature_names_out(self, input_features=None):
        """The names of the output columns."""
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        named = "feature_names_in_" in vars(self)
        # Columns without names are numbers within the machine.
        return np.array(
            [names[int(n)] if not named and n.isdigit() else n for n in self.machine_.outputs["names"]], dtype=object
        )
