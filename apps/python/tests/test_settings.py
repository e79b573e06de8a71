"""Settings of more than one type: a number or a word."""

import numpy as np
import pytest

import pellucid

X = np.array([[0.0, 0.0], [0.0, 1.0], [4.0, 4.0], [4.0, 5.0]])
Y = np.array(["a", "a", "b", "b"])


def scores(gamma):
    return pellucid.SVC(gamma=gamma).fit(X, Y).decision_function(X)


def test_a_number_or_a_word():
    assert pellucid.SVC().gamma == "scale"
    assert np.array_equal(scores(0.5), scores("0.5"))
    assert np.array_equal(scores("auto"), scores(0.5))  # one over two columns
    assert not np.array_equal(scores("median"), scores(0.5))
    assert np.array_equal(scores(1), scores(1.0))
    with pytest.raises(ValueError, match="a number or one of scale, auto, median, nearest"):
        scores("meidan")
    with pytest.raises(TypeError, match="a number or one of scale"):
        scores([1.0])
    with pytest.raises(TypeError, match="a number or one of scale"):
        scores(True)


def test_the_signature_says_both():
    assert "gamma : float or {'scale', 'auto', 'median', 'nearest'}" in pellucid.SVC.__doc__


def test_a_stored_model_brings_both_back(tmp_path):
    for gamma in (0.25, "median"):
        path = tmp_path / "m.pel"
        pellucid.save(pellucid.SVC(gamma=gamma).fit(X, Y), path)
        assert pellucid.load(path).gamma == gamma
