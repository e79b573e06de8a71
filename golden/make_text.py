"""Writes golden/text/*: the vocabularies and weights of scikit-learn on documents.txt, which is written here too.

Run with Python 3.11+ and the packages named in each file's first line: python golden/make_text.py
"""
import os
import numpy as np, sklearn
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "text")
SKLEARN = f"scikit-learn {sklearn.__version__}, golden/make_text.py"

DOCUMENTS = [
    "The quick brown fox jumps over the lazy dog.",
    "A LAZY dog is a happy dog; the fox is not.",
    "It's 3 o'clock, and all is well: 100 % well!",
    "Über den Wolken muß die Freiheit wohl grenzenlos sein",
    "über_allen Gipfeln ist Ruh, in allen Wipfeln spürest du kaum einen Hauch",
    "Добрый день! Лиса и собака.",
    "ΟΔΟΣ ονείρων και οδος",
    "naïve café, naïve CAFÉ, naïve cafés",
    "",
    "? ! ... a I 7",
    "x1 x2 x1 x_2 2x 2X",
    "the the the the",
    "the quick fox, the quick fox, the slow dog",
    "e-mail me@example.com or http://example.com/the?fox=1",
]


def write(name, maker, lines):
    with open(os.path.join(HERE, name + ".txt"), "w", encoding="utf-8") as f:
        f.write(f"# {maker}\n")
        f.writelines(f"{line}\n" for line in lines)


write("documents", "golden/make_text.py: a text a line", DOCUMENTS)
for name, maker, settings in (
    ("counts", CountVectorizer, {}),
    ("binary", CountVectorizer, dict(binary=True, ngram_range=(1, 2), min_df=2)),
    ("short", CountVectorizer, dict(token_pattern=r"(?u)\b\w+\b", max_df=0.3)),
    ("tf_idf", TfidfVectorizer, {}),
    ("grams", TfidfVectorizer, dict(ngram_range=(1, 3), min_df=2, max_df=0.4, stop_words=["is", "lazy"])),
):
    vectorizer = maker(**settings)
    rows = vectorizer.fit_transform(DOCUMENTS).toarray()
    write(name + "_words", f"{SKLEARN}: {settings}", vectorizer.get_feature_names_out())
    write(name, f"{SKLEARN}: {settings}", (repr(float(x)) for x in np.ravel(rows)))
