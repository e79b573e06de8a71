"""Tables of pandas, polars and Arrow go in as they are and mean the same."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import load_iris

import pellucid

X, Y = load_iris(return_X_y=True)
NUMBERS = pd.DataFrame(X, columns=["a", "b", "c", "d"])
WORDS = pd.DataFrame({"colour": ["red", "blue", None, "red"] * 10, "size": [1.0, 2.0, np.nan, 4.0] * 10})
FORMS = {"pandas": lambda f: f, "polars": lambda f: pl.from_pandas(f), "arrow": lambda f: pa.Table.from_pandas(f)}

every = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


@every
def test_numbers(form):
    frame, expected = form(NUMBERS), pellucid.LogisticRegression().fit(X, Y)
    model = pellucid.LogisticRegression().fit(frame, Y)
    assert list(model.feature_names_in_) == ["a", "b", "c", "d"]
    np.testing.assert_array_equal(model.predict_proba(frame), expected.predict_proba(X))
    why = model.explain(frame, method="input-gradient")
    assert why.features == ["a", "b", "c", "d"]
    np.testing.assert_array_equal(why.values, expected.explain(X, method="input-gradient").values)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(form(NUMBERS[["b", "a", "c", "d"]]))


@every
def test_targets(form):
    y = form(pd.DataFrame({"y": Y}))
    column = y.column("y") if hasattr(y, "column_names") else y["y"]
    model = pellucid.KNeighborsClassifier().fit(form(NUMBERS), column)
    np.testing.assert_array_equal(model.predict(X), pellucid.KNeighborsClassifier().fit(X, Y).predict(X))


@every
def test_words_and_gaps(form):
    encoder = pellucid.OneHotEncoder()
    out = encoder.fit(form(WORDS[["colour"]])).transform(form(WORDS[["colour"]]))
    out = out.toarray() if hasattr(out, "toarray") else out
    names = list(encoder.get_feature_names_out())
    assert out.shape == (40, len(names)) and any("red" in name for name in names)
    np.testing.assert_array_equal(out[:, next(i for i, n in enumerate(names) if "red" in n)], [1.0, 0.0, 0.0, 1.0] * 10)
    filled = pellucid.SimpleImputer().fit(form(WORDS[["size"]])).transform(form(WORDS[["size"]]))
    np.testing.assert_allclose(np.asarray(filled)[:4, 0], [1.0, 2.0, 7.0 / 3.0, 4.0])


def test_output_as_polars():
    out = pellucid.StandardScaler().set_output(transform="polars").fit(NUMBERS).transform(NUMBERS)
    assert isinstance(out, pl.DataFrame) and out.columns == ["a", "b", "c", "d"]
