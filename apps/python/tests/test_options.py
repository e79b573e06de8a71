"""Limits and progress: what a call may use, and who looks on."""

import sys
import types

import numpy as np
import pytest

import pellucid

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(4000, 50)), RNG.integers(2, size=4000)


def slow():
    return pellucid.MLPClassifier(hidden_layer_sizes=(400, 400), max_iter=100000, tol=0.0, n_iter_no_change=0)


def test_time_ends_a_fit_with_the_best_so_far():
    with pellucid.options(time=1.0):
        model = slow().fit(X, Y)
    assert model.certificate_.interrupted and model.predict(X[:3]).shape == (3,)


def test_progress_is_called_and_may_stop_the_fit():
    seen = []

    def look(stage, done, total, value):
        seen.append((stage, done, total))
        if len(seen) == 3:
            raise KeyError("enough")

    model = slow()
    with pytest.raises(KeyError, match="enough"), pellucid.options(progress=look):
        model.fit(X, Y)
    assert len(seen) >= 3 and all(isinstance(stage, str) and done >= 0 for stage, done, _ in seen)
    assert model.certificate_.interrupted and model.predict(X[:3]).shape == (3,)


def test_true_draws_a_bar(monkeypatch):
    drawn = []

    class Bar:
        def __init__(self, total, desc):
            drawn.append(desc)

        def set_postfix_str(self, text, refresh):
            pass

        def refresh(self):
            drawn.append(self.n)

        def close(self):
            drawn.append("closed")

    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace(auto=sys.modules["tqdm.auto"]))
    with pellucid.options(progress=True, time=1.5):
        slow().fit(X, Y)
    assert isinstance(drawn[0], str) and drawn[-1] == "closed" and len(drawn) > 3


def test_memory_is_a_limit_that_is_told_before_it_is_met():
    with pellucid.options(memory="1M"), pytest.raises((MemoryError, ValueError), match="(?i)memory|MB|bytes"):
        pellucid.KNeighborsClassifier().fit(X, Y).predict(X)
    for wrong in ("much", "2X", ""):
        with pytest.raises(ValueError, match="memory"), pellucid.options(memory=wrong):
            pass
    with pellucid.options(memory=2**34), pellucid.options(time=60):  # The inner keeps what it does not say.
        pellucid.KNeighborsClassifier().fit(X, Y)


def test_what_a_fit_changed_is_a_warning():
    weights = np.ones(len(X))
    weights[:7] = 0.0
    with pytest.warns(pellucid.FitWarning, match="7 rows of weight 0"):
        pellucid.LogisticRegression().fit(X, Y, sample_weight=weights)
