"""Rows that come in portions."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

import pellucid

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])


def portions(count, size, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.permutation(count)[:size] for _ in range(60)]


def test_a_classifier_learns_by_portions_that_lack_classes():
    model = pellucid.MLPClassifier(hidden_layer_sizes=(20,), learning_rate_init=0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # A portion is no fit that ended too early.
        for _ in range(20):
            model.partial_fit(X[:100], NAMES[Y[:100]], classes=NAMES)  # No virginica yet.
    assert list(model.classes_) == list(NAMES) and model.predict_proba(X[:2]).shape == (2, 3)
    assert (model.predict(X[:100]) == NAMES[Y[:100]]).mean() > 0.97
    for rows in portions(len(X), 100):
        model.partial_fit(X[rows], NAMES[Y[rows]])
    assert model.score(X, NAMES[Y]) > 0.93
    with pytest.raises(ValueError, match="is not one of the classes"):
        model.partial_fit(X[:2], ["setosa", "rose"])
    with pytest.raises(ValueError, match="earlier calls"):
        model.partial_fit(X[:2], NAMES[Y[:2]], classes=["setosa", "rose"])
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:2, :3], NAMES[Y[:2]])


def test_a_portion_goes_on_from_a_fit_and_a_fit_begins_anew():
    model = pellucid.MLPClassifier(max_iter=30).fit(X, Y)
    before = model.predict_proba(X)
    model.partial_fit(X[:20], Y[:20])
    moved = np.abs(model.predict_proba(X) - before).max()
    assert 0.0 < moved < 0.5
    np.testing.assert_array_equal(model.fit(X, Y).predict_proba(X), before)
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        pellucid.MLPClassifier().partial_fit(X, Y)


def test_values_and_prototypes_learn_by_portions_too():
    inputs, values = load_diabetes(return_X_y=True)
    model = pellucid.MLPRegressor(hidden_layer_sizes=(20,), learning_rate_init=0.01)
    for rows in portions(len(inputs), 100):
        model.partial_fit(inputs[rows], values[rows])
    assert model.score(inputs, values) > 0.45
    assert model.machine_.inputs["count"] == 10
    learner = next(cls for cls in pellucid.estimators() if cls._entry["name"] == "vq")
    groups = learner(n_clusters=3, init="k-means++", learning_rate=0.05)
    for rows in portions(len(X), 30):
        groups.partial_fit(X[rows])
    # Setosa stands apart.
    assert len(set(groups.predict(X[:50]))) == 1
    assert not set(groups.predict(X[:50])) & set(groups.predict(X[50:]))


def test_what_needs_all_rows_says_so():
    with pytest.raises(ValueError, match="all rows at once"):
        pellucid.MLPClassifier(solver="lbfgs").partial_fit(X, Y, classes=[0, 1, 2])
    assert not hasattr(pellucid.SVC(), "partial_fit")
