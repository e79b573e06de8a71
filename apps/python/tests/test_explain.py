"""Explanations: their accounts balance, and they equal what they are defined to be."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline

import pellucid

X, Y = load_iris(return_X_y=True)
GOLDEN = Path(__file__).parents[3] / "golden"


def test_relevance_adds_up_to_the_score():
    model = pellucid.MLPClassifier(random_state=0).fit(X, Y)
    for method in ("integrated-gradients", "lrp-epsilon", None):
        why = model.explain(X[::10], method=method)
        parts = why.balance
        np.testing.assert_allclose(parts["sum"], why.values.sum(axis=1), atol=1e-9)
        np.testing.assert_allclose(parts["score"], parts["sum"] + parts["absorbed"] + parts["lost"], atol=1e-9)
        assert why.values.shape == X[::10].shape
        assert (why.outputs == model.predict(X[::10])).all()
    assert "integrated-gradients" in pellucid.methods(model)


def test_a_detector_is_explained_in_closed_form():
    # One centre: outlierness is gamma times the squared distance (plus a constant), which goes to the columns alone.
    model = pellucid.OneClassSVM(gamma=0.5).fit(np.zeros((5, 3)) + [1.0, 2.0, 3.0])
    row = np.array([[2.0, 0.0, 3.0]])
    why = model.explain(row)
    share = why.values[0] / why.values[0].sum()
    np.testing.assert_allclose(share, [0.2, 0.8, 0.0], atol=1e-9)
    assert why.scores.shape == (1, 1)


def test_the_gradient_of_an_onnx_model_is_its_slope(tmp_path):
    model = pellucid.MLPClassifier(random_state=0).fit(X, Y)
    pellucid.save(model, tmp_path / "m.onnx")
    loaded = pellucid.load(tmp_path / "m.onnx")
    rows = X[[3, 77, 140]]
    for given in (tmp_path / "m.onnx", str(tmp_path / "m.onnx"), (tmp_path / "m.onnx").read_bytes(), loaded):
        why = pellucid.explain(given, rows, method="gradient", output=1)
        step = 1e-4  # Within one piece of the rectifiers.
        for c in range(X.shape[1]):
            up, down = rows.copy(), rows.copy()
            up[:, c] += step
            down[:, c] -= step
            slope = (loaded._main(up)[:, 1] - loaded._main(down)[:, 1]) / (2 * step)
            np.testing.assert_allclose(why.values[:, c], slope, atol=1e-8)


def test_what_is_asked_for_wrongly_is_answered():
    model = pellucid.LogisticRegression().fit(X, Y)
    with pytest.raises(ValueError, match="gradient"):
        model.explain(X[:1], method="gradiant")
    with pytest.raises(ValueError, match="the classes are 0, 1, 2"):
        model.explain(X[:1], output=3)
    with pytest.raises(TypeError, match="estimator"):
        pellucid.explain(3, X[:1])


def test_names_pictures_and_tables():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=["a", "<b>", "c", "d"])
    model = pellucid.LogisticRegression().fit(frame, Y)
    why = model.explain(frame.iloc[:7])
    assert why.features == ["a", "<b>", "c", "d"]
    assert list(why.to_pandas().columns) == why.features and len(why) == 7
    picture = why.plot(row=2)
    assert picture.startswith("<svg") and "Row 2" in picture and "<b>" not in picture
    page = why._repr_html_()
    assert page.count("<svg") == 5 and "2 more rows" in page
    chain = make_pipeline(pellucid.StandardScaler(), pellucid.LogisticRegression()).fit(X, Y)
    last = chain[-1].explain(chain[0].transform(X[:3]))
    np.testing.assert_array_equal(pellucid.explain(chain, X[:3]).values, last.values)


def test_pictures_keep_their_shape():
    rng = np.random.default_rng(0)
    shown, kinds = rng.uniform(size=(40, 8, 8)), rng.integers(2, size=40)
    shown[kinds == 1, 2:4, 2:4] += 2.0
    model = pellucid.ConvolutionalClassifier(random_state=0).fit(shown, kinds)
    why = model.explain(shown[:2], method="gradient")
    assert why.values.shape == (2, 64)
    np.testing.assert_array_equal(model.explain(shown[:2, None], method="gradient").values, why.values)
    picture = why.plot()
    assert "relevance" in picture and "the row" in picture


def test_networks_of_others_take_channels_first_or_last():
    model = pellucid.load(GOLDEN / "explain" / "conv.onnx")
    rows = np.random.default_rng(0).normal(size=(3, 2, 8, 8))
    last = np.ascontiguousarray(rows.transpose(0, 2, 3, 1))
    why = pellucid.explain(GOLDEN / "explain" / "conv.onnx", rows, method="integrated-gradients")
    np.testing.assert_array_equal(why.values, model.explain(last, method="integrated-gradients").values)
    np.testing.assert_array_equal(model.predict(rows), model.predict(last.reshape(3, -1)))
    assert abs(why.balance["lost"]).max() < 0.05 * abs(why.balance["score"]).max()
    with pytest.raises(ValueError, match="images: expected"):
        model.predict(np.zeros((3, 5, 5, 2)))


def test_networks_of_others_are_scaled_and_named(tmp_path):
    path = GOLDEN / "explain" / "dense.onnx"
    rows = np.random.default_rng(3).normal(size=(5, 6))
    plain = pellucid.load(path)
    assert list(plain.classes_) == [0, 1, 2] and not hasattr(plain, "predict_proba")
    (tmp_path / "names.txt").write_text("red\ngreen\nblue\n")
    for given in (path, path.read_bytes()):
        for names in (["red", "green", "blue"], tmp_path / "names.txt"):
            named = pellucid.load(given, shift=2.0, factor=[0.5], names=names, softmax=True)
            expected = np.array(["red", "green", "blue"])[plain.predict((rows - 2.0) * 0.5)]
            assert (named.predict(rows) == expected).all()
            np.testing.assert_allclose(named.predict_proba(rows).sum(axis=1), 1.0)
            why = named.explain(rows, method="lrp-epsilon", output="green")
            assert set(why.outputs) == {"green"} and why.values.shape == rows.shape
    with pytest.raises(ValueError, match="names of outputs: expected 3, found 2"):
        pellucid.load(path, names=["red", "green"])
    with pytest.raises(ValueError, match="is for ONNX files"):
        pellucid.load(GOLDEN / "onnx_ml" / "ours-ridge.pel", softmax=True)
