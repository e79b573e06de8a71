"""Loops over classes, folds and grids run on other processes and machines by joblib's back ends, with the same numbers."""

import os

import joblib
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline

import pellucid

X, Y = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def cluster():
    """Two processes that a Dask scheduler hands work to."""
    from distributed import Client, LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", host="127.0.0.1"
    ) as local, Client(local) as client:
        yield client


@pytest.fixture(params=["loky", "threading", "dask"])
def backend(request):
    if request.param == "dask":
        request.getfixturevalue("cluster")
    with joblib.parallel_config(backend=request.param, n_jobs=2):
        yield request.param


def estimators():
    return [
        pellucid.LinearSVMClassifier(multi_class="weston-watkins", random_state=1),
        pellucid.LogisticRegression(),
        pellucid.SVC(C=2.0),
        pellucid.RandomForestClassifier(n_estimators=10, random_state=1),
        make_pipeline(pellucid.StandardScaler(), pellucid.KNeighborsClassifier()),
    ]


@pytest.mark.parametrize("model", estimators(), ids=lambda m: type(m).__name__)
def test_folds_give_the_same_scores_wherever_they_are_fitted(model, backend):
    with joblib.parallel_config(backend="sequential"):
        expected = cross_val_score(model, X, Y, cv=4, n_jobs=1)
    np.testing.assert_array_equal(cross_val_score(model, X, Y, cv=4), expected)


def test_grids_choose_the_same_settings_wherever_they_are_tried(backend):
    grid = {"C": [0.01, 1.0, 100.0], "margin": [1.0, 2.0]}

    def chosen(**jobs):
        model = pellucid.LinearSVMClassifier(multi_class="weston-watkins", random_state=1)
        search = GridSearchCV(model, grid, cv=3, **jobs).fit(X, Y)
        return search.best_params_, list(search.cv_results_["mean_test_score"]), search.predict(X).tolist()

    with joblib.parallel_config(backend="sequential"):
        expected = chosen(n_jobs=1)
    assert chosen() == expected


def test_classes_are_fitted_apart_and_come_back(backend):
    def fitted(**jobs):
        model = OneVsRestClassifier(pellucid.LinearSVMClassifier(random_state=1), **jobs).fit(X, Y)
        return [list(np.ravel(each.coef_)) for each in model.estimators_], model.predict(X).tolist()

    with joblib.parallel_config(backend="sequential"):
        expected = fitted(n_jobs=1)
    assert fitted() == expected


def unaligned(array):
    """The same numbers from an odd address on, as those that came in a message may lie."""
    room = np.zeros(array.nbytes + 9, dtype=np.uint8)
    start = 1 + (-room.ctypes.data) % 8
    found = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    found[...] = array
    assert not found.flags.aligned
    return found


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_numbers_may_begin_at_any_address(dtype):
    rows, values, weights = X.astype(dtype), X[:, 0] + Y, np.linspace(0.5, 2.0, len(Y))
    for model, y in ((pellucid.LinearSVMClassifier(random_state=1), Y), (pellucid.Ridge(), values)):
        expected = model.fit(rows, y, sample_weight=weights).predict(rows)
        found = model.fit(unaligned(rows), unaligned(y), sample_weight=unaligned(weights)).predict(unaligned(rows))
        np.testing.assert_array_equal(found, expected)


def where(model, X, y):
    """A fitted model, and the process that has fitted it."""
    return model.fit(X, y), os.getpid()


def test_fitted_models_come_back_from_the_processes_of_a_cluster(cluster):
    models = [pellucid.LinearSVMClassifier(C=c, random_state=1) for c in (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)]
    with joblib.parallel_config(backend="dask"):
        found = joblib.Parallel()(joblib.delayed(where)(model, X, Y) for model in models)
    assert os.getpid() not in {process for _, process in found}
    for (remote, _), model in zip(found, models):
        own = model.fit(X, Y)
        np.testing.assert_array_equal(remote.decision_function(X), own.decision_function(X))
        assert remote.certificate_.objective == own.certificate_.objective
        assert pellucid.explain(remote, X[:2]).values.shape[0] == 2
