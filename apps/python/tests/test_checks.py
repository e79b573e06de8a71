"""Every estimator of the catalog keeps scikit-learn's contract; there is no list of estimators here."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import pellucid

WEIGHTED = {
    "check_sample_weight_equivalence_on_dense_data": "weights count in the mean",
    "check_sample_weight_equivalence_on_sparse_data": "weights count in the mean",
}


# What the data of the checks ask for: they are negative, overlap, and have four groups.
SETTINGS = {"log": {"epsilon": 50.0}, "kernel-adatron": {"C": 10.0}, "gmm": {"n_components": 4}}


def every():
    """An estimator of every class; those that solve up to a tolerance are asked for the digits that are compared."""
    made = [cls(**SETTINGS.get(cls._entry["name"], {})) for cls in pellucid.estimators()]
    for estimator in made:
        if (estimator._entry["family"] == "kernels" or estimator._entry["name"].startswith("linear-sv")) and "tol" in estimator.get_params():
            estimator.set_params(tol=1e-11)
    return made


def expected(estimator):
    """Only learners that say so may treat a weight of 2 as two rows in the mean alone."""
    return WEIGHTED if estimator._entry["weights"] == "mean" else {}


@parametrize_with_checks(every(), expected_failed_checks=expected)
def test_contract(estimator, check):
    check(estimator)


def test_a_new_line_of_the_catalog_is_enough():
    assert any(type(e).__name__ == "TrialRegressor" for e in every())
    model = pellucid.TrialRegressor(softness=1e6).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    assert model.predict([[3.0]]) == pytest.approx([7.0], abs=1e-4)
