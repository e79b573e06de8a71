"""Data from files and generators, reports and comparisons."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import pellucid


def test_a_table_is_read(tmp_path):
    (tmp_path / "d.csv").write_text("size,colour,kind\n1.5,red,a\n,blue,b\n2.5,red,a\n")
    all_of_it = pellucid.read(tmp_path / "d.csv")
    assert list(all_of_it.data.columns) == ["size", "colour", "kind"] and all_of_it.target is None
    assert np.isnan(all_of_it.data["size"][1])
    found = pellucid.read(tmp_path / "d.csv", target="kind")
    assert list(found.target) == ["a", "b", "a"] and list(found.data["colour"]) == ["red", "blue", "red"]
    with pytest.raises(ValueError, match="kind"):
        pellucid.read(tmp_path / "d.csv", target="kinb")


def test_sparse_rows_and_arrays_are_read(tmp_path):
    (tmp_path / "d.libsvm").write_text("1 1:0.5 3:2\n-1 2:1\n")
    found = pellucid.read(tmp_path / "d.libsvm")
    np.testing.assert_array_equal(found.data.toarray(), [[0.5, 0, 2], [0, 1, 0]])
    assert list(found.target) == [1, -1]
    np.save(tmp_path / "d.npy", np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(pellucid.read(tmp_path / "d.npy").data, np.arange(6.0).reshape(2, 3))


def test_problems_are_functions_of_seed_and_settings():
    names = pellucid.datasets.names()
    assert "noise=" in names["two-moons"]
    one, two = (pellucid.datasets.generate("two_moons", random_state=s) for s in (1, 2))
    again = pellucid.datasets.generate("two-moons", random_state=1)
    np.testing.assert_array_equal(one.data, again.data)
    assert (one.data != two.data).any() and len(one.target) == len(one.data)
    with pytest.raises(ValueError, match="two-moons"):
        pellucid.datasets.generate("two-moon")


def test_a_report_is_one_page(tmp_path):
    moons = pellucid.datasets.generate("two-moons")
    model = pellucid.KNeighborsClassifier().fit(moons.data, moons.target)
    text = pellucid.report(model, moons.data, moons.target, tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text() == text
    share = model.score(moons.data, moons.target)
    assert text.lstrip().startswith("<!") and f"{share:.4f}" in text
    with pytest.raises(ValueError, match="not seen"):
        pellucid.report(model, moons.data, np.full(len(moons.target), "zebra"))


def test_machines_are_compared(tmp_path):
    moons = pellucid.datasets.generate("two-moons")
    near, chain = pellucid.KNeighborsClassifier(), make_pipeline(pellucid.StandardScaler(), pellucid.LogisticRegression())
    found = pellucid.compare([chain, near], moons.data, moons.target, folds=4, path=tmp_path / "c.html")
    assert found.machine == ["LogisticRegression", "KNeighborsClassifier"] and found.best == "KNeighborsClassifier"
    assert found.mean[0] == pytest.approx(np.mean(found.folds[0])) and len(found.folds[0]) == 4
    assert "KNeighborsClassifier" in (tmp_path / "c.html").read_text()
    assert not hasattr(near, "machine_")
    with pytest.raises(ValueError, match="all be classifiers"):
        pellucid.compare([near, pellucid.Ridge()], moons.data, moons.target)


def test_a_model_of_a_table_takes_frames(tmp_path):
    frame = pd.DataFrame({"colour": ["red", "blue", "green", "red"]})
    model = pellucid.OneHotEncoder().fit(frame)
    pellucid.save(model, tmp_path / "m.pel")
    for rows in (frame, frame.assign(further=1.0)[["further", "colour"]]):
        out = pellucid.load(tmp_path / "m.pel").transform(rows)
        np.testing.assert_array_equal(dense(out), dense(model.transform(frame)))
    assert dense(out).sum() == 4


def dense(values):
    return np.asarray(values.todense() if hasattr(values, "todense") else values)
