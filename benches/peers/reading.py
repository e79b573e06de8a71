"""The rivals of reading text: pandas and scikit-learn on the same files, and the files themselves.

    reading.py make DIR [SHARED]      writes the inputs into DIR; SHARED holds real data, where there are some
    reading.py time FORMAT=FILE ...   prints seconds and MB/s, the best of three
"""
import gzip
import io
import os
import sys
import time

import numpy as np


def make(folder, shared):
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(1)

    def write(name, chunks):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return
        with open(path + ".part", "wb") as out:
            for chunk in chunks:
                out.write(chunk)
        os.replace(path + ".part", path)

    def numeric():
        # 20 columns: half of them measurements with few digits, half with all digits of a double.
        yield (",".join(f"x{i}" for i in range(20)) + "\n").encode()
        for _ in range(80):
            few = np.char.mod("%.3f", rng.normal(size=(10_000, 10)) * 100)
            full = np.char.mod("%.17g", rng.normal(size=(10_000, 10)))
            rows = np.concatenate([few, full], axis=1)
            yield ("\n".join(",".join(row) for row in rows) + "\n").encode()

    def unpacked(path):
        with gzip.open(os.path.join(shared, path)) as file:
            return file.read()

    def repeated(text, times, header=False):
        head, _, body = text.partition(b"\n") if header else (b"", b"", text)
        if header:
            yield head + b"\n"
        if not body.endswith(b"\n"):
            body += b"\n"
        for _ in range(times):
            yield body

    def weights():
        # Rows of a term matrix: ids from a heavy tail, weights of six digits.
        for _ in range(120):
            out = io.StringIO()
            for _ in range(1000):
                ids = np.unique((50_000 * rng.random(size=120) ** 3).astype(int)) + 1
                values = rng.random(len(ids))
                pairs = " ".join(f"{i}:{v:.6f}" for i, v in zip(ids, values))
                out.write(f"{rng.integers(0, 20)} {pairs}\n")
            yield out.getvalue().encode()

    write("numeric.csv", numeric())
    write("weights.libsvm", weights())
    if shared and os.path.exists(os.path.join(shared, "uci/adult_train.csv.gz")):
        write("adult.csv", repeated(unpacked("uci/adult_train.csv.gz"), 50, header=True))
        write("a9a.libsvm", repeated(unpacked("libsvm/a9a.gz"), 90))
        write("kdd99.csv", repeated(unpacked("kdd99/kddcup.data_10_percent.gz"), 2))


def timed(files):
    import pandas
    import sklearn
    from sklearn.datasets import load_svmlight_file

    print(f"# pandas {pandas.__version__}, scikit-learn {sklearn.__version__}")
    for item in files:
        format, path = item.split("=", 1)
        with open(path, "rb") as file:
            content = file.read()
        best = float("inf")
        for _ in range(3 if format == "csv" else 1):
            start = time.perf_counter()
            if format == "csv":
                header = None if "kdd99" in path else 0
                peer, shape = "pandas", pandas.read_csv(io.BytesIO(content), header=header).shape
            else:
                peer, shape = "sklearn", load_svmlight_file(io.BytesIO(content))[0].shape
            best = min(best, time.perf_counter() - start)
        rate = len(content) / 1e6 / best
        print(f"{peer} 1 {os.path.basename(path)} {best:.4f} s {rate:.0f} MB/s ({shape[0]} x {shape[1]})", flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "")
    else:
        timed(sys.argv[2:])
