"""Steps that hold another estimator."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_outlier_detector, is_regressor
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import pellucid

X, Y = load_iris(return_X_y=True)
RARE = np.r_[np.arange(50), np.arange(50, 58), np.arange(100, 110)]  # 50, 8 and 10 of the three.


def test_rows_are_added_within_the_fit_alone():
    plain = pellucid.KNeighborsClassifier().fit(X[RARE], Y[RARE])
    even = pellucid.SMOTE(pellucid.KNeighborsClassifier(), random_state=1).fit(X[RARE], Y[RARE])
    made = {name: count for name, count in even.certificate_.facts.items() if name.startswith("smote: rows made of")}
    assert sorted(made.values()) == [40.0, 42.0]
    assert (even.predict_proba(X) != plain.predict_proba(X)).any()
    recall = [(model.predict(X[50:]) == Y[50:]).mean() for model in (plain, even)]
    assert recall[1] >= recall[0]
    again = pellucid.SMOTE(pellucid.KNeighborsClassifier(), random_state=1).fit(X[RARE], Y[RARE])
    other = pellucid.SMOTE(pellucid.KNeighborsClassifier(), random_state=2).fit(X[RARE], Y[RARE])
    np.testing.assert_array_equal(again.predict_proba(X), even.predict_proba(X))
    assert (other.predict_proba(X) != even.predict_proba(X)).any()


def test_a_step_is_what_it_holds():
    assert is_classifier(pellucid.SMOTE()) and is_classifier(pellucid.GaussianNoise(pellucid.SVC()))
    assert is_regressor(pellucid.GaussianNoise(pellucid.Ridge())) and is_outlier_detector(pellucid.ConformalDetector())
    assert not hasattr(pellucid.GaussianNoise(pellucid.Ridge()), "decision_function")
    with pytest.raises(TypeError, match="estimator of Pellucid"):
        pellucid.SMOTE(estimator=3).fit(X, Y)


def test_scores_become_probabilities():
    model = pellucid.CalibratedClassifierCV(pellucid.SVC(), cv=3).fit(X, Y)
    chances = model.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert (chances.argmax(axis=1) == model.predict(X)).all() and model.score(X, Y) > 0.93
    assert not hasattr(pellucid.SVC().fit(X, Y), "predict_proba")


def test_p_values_of_a_detector():
    model = pellucid.ConformalDetector(pellucid.OneClassSVM(), share=0.3).fit(X[:50])
    values = model.details(X)["p_value"]
    assert values[:50].mean() > 0.3 and values[100:].max() < 0.1
    assert list(pellucid.OneClassSVM().fit(X).details(X)) == ["quantile"]


def test_a_gap_is_filled_several_times():
    holes = X.copy()
    holes[::7, 1] = np.nan
    model = pellucid.MultipleImputation(pellucid.LogisticRegression()).fit(holes, Y)
    assert model.score(holes, Y) > 0.93
    with pytest.raises(ValueError):
        pellucid.LogisticRegression().fit(holes, Y)


def test_pictures_are_turned():
    rng = np.random.default_rng(0)
    shown, kinds = rng.uniform(size=(60, 6, 6)), np.arange(60) % 2
    shown[kinds == 1, 2:4, 2:4] += 2.0
    model = pellucid.RandomRotation(pellucid.LogisticRegression(), degrees=20.0).fit(shown, kinds)
    assert model.score(shown, kinds) > 0.95
    assert model.n_features_in_ == 36


def test_steps_hold_steps_and_stand_in_pipelines(tmp_path):
    held = pellucid.CalibratedClassifierCV(pellucid.RandomOverSampler(pellucid.SVC()), cv=3)
    chain = make_pipeline(pellucid.StandardScaler(), held)
    search = GridSearchCV(chain, {"calibratedclassifiercv__estimator__estimator__C": [0.1, 10.0]}, cv=3).fit(X, Y)
    assert search.best_score_ > 0.9
    model = clone(held).fit(X, Y)
    for other in (pickle.loads(pickle.dumps(model)),):
        np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))
    pellucid.save(model, tmp_path / "m.pel")
    np.testing.assert_array_equal(pellucid.load(tmp_path / "m.pel").predict(X), model.predict(X))
    assert pellucid.explain(model, X[:3]).values.shape == (3, 4) and "occlusion" in pellucid.methods(model)
    found = pellucid.compare({"plain": pellucid.SVC(), "even": pellucid.RandomOverSampler(pellucid.SVC())}, X, Y, folds=3)
    assert min(found.mean) > 0.9
