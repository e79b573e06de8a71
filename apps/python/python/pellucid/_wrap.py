"""Steps that hold another estimator: resampling, augmentation, choice of columns, calibrated scores, p-values."""

from __future__ import annotations

from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from . import _base, _core


class Wrapper(MetaEstimatorMixin, BaseEstimator):
    """A step that wraps the estimator made of everything after it, and has the same methods.

    What a fit changes, such as rows added to small classes, happens within ``fit`` alone. Put it last in a pipeline.
    """

    _entry: dict

    def __sklearn_is_fitted__(self):
        return "estimator_" in vars(self)

    def __sklearn_tags__(self):
        return self._unfitted().__sklearn_tags__()

    def __getattr__(self, name):
        # What a fit learns is the held estimator's.
        if name.endswith("_") and not name.startswith("_") and "estimator_" in vars(self):
            return getattr(vars(self)["estimator_"], name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _unfitted(self):
        """The held estimator with this step before it, ready for a fit."""
        given = usual(self._entry) if self.estimator is None else self.estimator
        if not isinstance(given, (_base.Estimator, Wrapper)):
            raise TypeError(f"estimator = {given!r}: must be an estimator of Pellucid")
        held = clone(given)
        held = held._unfitted() if isinstance(held, Wrapper) else held
        own = {p["name"]: getattr(self, p["name"]) for p in self._entry["params"]}
        return held._held_by((self._entry["name"], own), _base.seed(self.random_state), self._entry)

    def _shown(self):
        """The held estimator, fitted if it is."""
        return vars(self).get("estimator_") or self._unfitted()

    def fit(self, X, y=None, sample_weight=None):
        """Makes a machine of the rows of X and their targets y; weights count where the held estimator takes them."""
        held = self._unfitted()
        try:
            held._fit(X, y, sample_weight)
        finally:
            # An interrupt leaves the best so far.
            if "machine_" in vars(held):
                self.estimator_ = held
        return self

    def _steps(self):
        return self._unfitted()._steps()


def _handed_on(name):
    """A method that the held estimator has, if it has it."""

    def method(self, X, *more, **named):
        check_is_fitted(self)
        return getattr(self.estimator_, name)(X, *more, **named)

    if name == "score":  # Who asks for its arguments must find y.

        def method(self, X, y=None):
            check_is_fitted(self)
            return self.estimator_.score(X, y)

    method.__name__, method.__qualname__ = name, f"Wrapper.{name}"
    method.__doc__ = next(getattr(r, name).__doc__ for r in (_base.Classifier, _base.Detector) if hasattr(r, name))
    return available_if(lambda self: hasattr(self._shown(), name))(method)


for _name in (
    "predict", "predict_proba", "predict_log_proba", "decision_function", "score_samples", "details", "explain", "score",
):  # fmt: skip
    setattr(Wrapper, _name, _handed_on(_name))


def usual(entry):
    """What a step holds where nobody says."""
    import pellucid

    names = next(e["python"] for e in _core.catalog() if e["name"] == entry["usual"])
    return getattr(pellucid, names[0][1])()


def plain(model):
    """The estimator that a model is: itself, or what a step holds."""
    return model._shown() if isinstance(model, Wrapper) else model
