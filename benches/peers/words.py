"""Draws a file of texts whose words follow Zipf's law (words.py draw FILE MB), or times scikit-learn on it (words.py time FILE):
seconds to learn and weigh by tf-idf, the sum of all weights, columns, entries, peak memory beyond the text as a multiple of it."""
import resource, sys, time
import numpy as np


def draw(path, megabytes):
    rng = np.random.default_rng(1)
    letters = np.array(list("etaoinshrdlucmfw"))
    names = np.array(["".join(letters[rng.integers(0, 16, rng.integers(3, 11))]) for _ in range(200_000)])
    left = megabytes << 20
    with open(path, "w") as f:
        while left > 0:
            ranks = np.minimum(rng.zipf(1.3, 200_000) - 1, len(names) - 1)
            words = names[ranks]
            ends = np.sort(rng.integers(0, len(words), 2000))
            text = "\n".join(" ".join(part) for part in np.split(words, ends) if len(part)) + "\n"
            f.write(text)
            left -= len(text)


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measure(path):
    from sklearn.feature_extraction.text import TfidfVectorizer

    with open(path) as f:
        texts = f.read().splitlines()
    size, before = sum(map(len, texts)), peak()
    begin = time.perf_counter()
    rows = TfidfVectorizer().fit_transform(texts)
    seconds = time.perf_counter() - begin
    print(f"{seconds:.3f} {rows.sum():.6f} {rows.shape[1]} {rows.nnz} {(peak() - before) / size:.2f}")


if sys.argv[1] == "draw":
    draw(sys.argv[2], int(sys.argv[3]))
else:
    measure(sys.argv[2])
