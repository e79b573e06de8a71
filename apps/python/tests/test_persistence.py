"""Models survive pickling, files and scikit-learn's own tools."""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import pellucid

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])


# Steps that hold an estimator come back as what they hold: test_wrappers.py.
PLAIN = [cls for cls in pellucid.estimators() if cls._entry["kind"] != "wrapper"]
TABULAR = [cls for cls in PLAIN if cls._entry["points"] and not cls._entry["shaped"]]


def answer(model, rows):
    found = model.transform(rows) if hasattr(model, "transform") else model.predict(rows)
    return found.toarray() if hasattr(found, "toarray") else found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("made", TABULAR)
def test_models_survive_pickle_joblib_and_our_own_file(made, tmp_path):
    random = {"random_state": 3} if made._entry["random"] else {}
    model = made(**random).fit(X, Y)
    expected = answer(model, X[::7])
    joblib.dump(model, tmp_path / "m.joblib")
    pellucid.save(model, tmp_path / "m.pel")
    loaded = pellucid.load(tmp_path / "m.pel")
    assert type(loaded) is made
    assert repr(loaded) == repr(model) and loaded.get_params() == model.get_params()
    for other in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "m.joblib"), loaded):
        np.testing.assert_array_equal(answer(other, X[::7]), expected)
        assert repr(other.certificate_) == repr(model.certificate_)
    if not hasattr(model, "transform"):
        assert pellucid.explain(loaded, X[:3]).values.shape[0] == 3
    np.testing.assert_array_equal(answer(clone(loaded).fit(X, Y), X[::7]), expected)


def test_nearly_every_estimator_is_tried():
    assert len(TABULAR) > 40


def test_settings_that_were_changed_come_back(tmp_path):
    model = pellucid.SVC(C=3.0, kernel="poly", degree=2).fit(X, Y)
    pellucid.save(model, tmp_path / "m.pel")
    loaded = pellucid.load(tmp_path / "m.pel")
    assert (loaded.C, loaded.kernel, loaded.degree) == (3.0, "polynomial", 2)
    ridge = pellucid.LogisticRegression(C=0.25).fit(X, Y)
    pellucid.save(ridge, tmp_path / "r.pel")
    assert pellucid.load(tmp_path / "r.pel").C == 0.25


def test_a_pickle_holds_the_record_and_nothing_that_runs():
    names = set()
    for code, argument, _ in __import__("pickletools").genops(pickle.dumps(pellucid.SVC().fit(X, Y).machine_, 0)):
        if code.name == "GLOBAL":
            names.add(argument)
    assert all(name.split()[0] in ("pellucid._core", "builtins", "__builtin__", "_codecs") for name in names), names
    with pytest.raises(ValueError):
        pellucid.Machine.read(b"no machine at all")


def test_classes_keep_their_type(tmp_path):
    for classes in ([3, 7, 11], ["a", "b", "c"], [False, True, True]):
        y = np.array(classes)[Y]
        pellucid.save(pellucid.KNeighborsClassifier().fit(X, y), tmp_path / "m.pel")
        loaded = pellucid.load(tmp_path / "m.pel")
        assert loaded.predict(X).dtype.kind == y.dtype.kind
        assert (loaded.predict(X) == y).mean() > 0.9


def test_other_formats_keep_the_predictions(tmp_path):
    model = pellucid.SVC().fit(X, Y)
    for name, digits in (("m.onnx", 1e-4), ("m.model", 1e-12)):
        pellucid.save(model, tmp_path / name)
        loaded = pellucid.load(tmp_path / name)
        np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
        np.testing.assert_allclose(loaded.decision_function(X), model.decision_function(X), atol=digits)
    with pytest.raises(ValueError, match="saved as"):
        pellucid.save(model, tmp_path / "m.joblib")
    with pytest.raises(OSError):
        pellucid.load(tmp_path / "nothing.pel")


def test_a_network_of_onnx_is_an_estimator(tmp_path):
    model = pellucid.MLPClassifier(random_state=1).fit(X, Y)
    pellucid.save(model, tmp_path / "m.onnx")
    for given in (tmp_path / "m.onnx", (tmp_path / "m.onnx").read_bytes()):
        loaded = pellucid.load(given)
        assert (loaded.predict(X) == model.predict(X)).mean() > 0.99
        pellucid.save(loaded, tmp_path / "again.pel")
        np.testing.assert_array_equal(pellucid.load(tmp_path / "again.pel").predict(X), loaded.predict(X))
    with pytest.raises(TypeError, match="cannot be fitted"):
        loaded.fit(X, Y)


def test_the_tools_of_scikit_learn_work():
    search = GridSearchCV(pellucid.SVC(), {"C": [0.1, 1.0, 10.0]}, n_jobs=2, cv=3).fit(X, Y)
    assert search.best_score_ > 0.9
    chain = make_pipeline(pellucid.StandardScaler(), pellucid.SVC())
    scores = cross_val_score(chain, X, Y, cv=3)
    assert scores.min() > 0.9
    calibrated = CalibratedClassifierCV(chain, cv=3).fit(X, Y)
    np.testing.assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1.0)
    twin = clone(search.best_estimator_)
    assert twin.get_params() == search.best_estimator_.get_params() and not hasattr(twin, "machine_")


def test_data_frames_keep_their_columns():
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    scaler = pellucid.StandardScaler().set_output(transform="pandas").fit(frame)
    out = scaler.transform(frame)
    assert list(out.columns) == ["a", "b", "c", "d"]
    np.testing.assert_allclose(out.to_numpy(), (X - X.mean(0)) / X.std(0), atol=1e-12)
    with pytest.raises(ValueError, match="feature names"):
        scaler.transform(frame[["b", "a", "c", "d"]])
