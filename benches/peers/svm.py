"""Support vector machines: the rival's side, and the data both sides read.

data FOLDER SHARED          writes the problems as raw little-endian files
fit KIND FOLDER C GAMMA     fits and predicts, one JSON line; support and coefficients go to FOLDER/rival.*
"""
import gzip, json, os, sys, time
import numpy as np


def save(folder, name, xtr, ytr, xte, yte):
    path = os.path.join(folder, name)
    os.makedirs(path, exist_ok=True)
    for part, x, y in (("tr", xtr, ytr), ("te", xte, yte)):
        np.asarray(y, "<i4").tofile(f"{path}/y{part}.i32")
        if hasattr(x, "indptr"):
            x.indptr.astype("<i4").tofile(f"{path}/{part}.starts.i32")
            x.indices.astype("<i4").tofile(f"{path}/{part}.ids.i32")
            x.data.astype("<f8").tofile(f"{path}/{part}.entries.f64")
        else:
            np.ascontiguousarray(x, "<f8").tofile(f"{path}/X{part}.f64")
    with open(f"{path}/meta.txt", "w") as f:
        f.write(f"{xtr.shape[0]} {xte.shape[0]} {xtr.shape[1]}\n")


def load(path, part):
    import scipy.sparse as sp
    sizes = [int(w) for w in open(f"{path}/meta.txt").read().split()]
    rows = sizes[0] if part == "tr" else sizes[1]
    y = np.fromfile(f"{path}/y{part}.i32", "<i4")
    if os.path.exists(f"{path}/X{part}.f64"):
        return np.fromfile(f"{path}/X{part}.f64", "<f8").reshape(rows, sizes[2]), y
    parts = [np.fromfile(f"{path}/{part}.{what}", kind) for what, kind in
             (("entries.f64", "<f8"), ("ids.i32", "<i4"), ("starts.i32", "<i4"))]
    return sp.csr_matrix(tuple(parts), (rows, sizes[2])), y


def idx(path):
    raw = gzip.open(path).read()
    return np.frombuffer(raw, np.uint8, offset=16 if raw[3] == 3 else 8)


def data(folder, shared):
    from sklearn.datasets import make_classification, load_svmlight_file
    from sklearn.preprocessing import StandardScaler

    def binary(n, d, informative):
        x, y = make_classification(n + 2000, d, n_informative=informative, n_redundant=d // 5, n_clusters_per_class=4,
                                   class_sep=1.0, flip_y=0.02, random_state=0)
        x, y = StandardScaler().fit_transform(x), 2 * y - 1
        save(folder, f"bin_{n}_{d}", x[:n], y[:n], x[n:], y[n:])

    binary(20000, 50, 20)
    binary(10000, 784, 40)
    r = np.random.RandomState(2)
    a, mu = r.randn(20, 147), 3 * r.randn(3, 20)
    near = lambda m, s: (mu[r.randint(0, 3, m)] + s * r.randn(m, 20)) @ a / np.sqrt(20) + 0.3 * r.randn(m, 147)
    train, test = near(30000, 1.0), np.vstack([near(2000, 1.0), near(2000, 1.5)])
    scale = StandardScaler().fit(train)
    save(folder, "oc_30000_147", scale.transform(train), np.ones(30000), scale.transform(test), np.r_[np.ones(2000), -np.ones(2000)])
    if not os.path.isdir(shared):
        return
    mnist = os.path.join(shared, "mnist")
    names = ["train-images", "train-labels", "t10k-images", "t10k-labels"]
    found = {n: [f for f in sorted(os.listdir(mnist)) if f.startswith(n)] for n in names} if os.path.isdir(mnist) else {}
    if all(found.get(n) for n in names):
        xtr, ytr, xte, yte = (idx(os.path.join(mnist, found[n][0])) for n in names)
        save(folder, "mnist_60000", xtr.reshape(-1, 784) / 255.0, ytr, xte.reshape(-1, 784) / 255.0, yte)
    for name in ("a9a", "w8a"):
        path = os.path.join(shared, "libsvm", name + ".gz")
        if os.path.exists(path):
            x, y = load_svmlight_file(path)
            test = os.path.join(shared, "libsvm", name + ".t.gz")
            if os.path.exists(test):
                xt, yt = load_svmlight_file(test, n_features=x.shape[1])
            else:
                keep = np.arange(x.shape[0]) % 10 != 0
                x, xt, y, yt = x[keep], x[~keep], y[keep], y[~keep]
            save(folder, name, x.tocsr(), y, xt.tocsr(), yt)


def fit(kind, path, c, gamma):
    import sklearn
    from sklearn.svm import SVC, OneClassSVM
    x, y = load(path, "tr")
    xt, yt = load(path, "te")
    m = OneClassSVM(nu=0.05, gamma=gamma, cache_size=2000) if kind == "one-class-svm" else SVC(C=c, gamma=gamma, cache_size=2000)
    start, cpu = time.perf_counter(), time.process_time()
    m.fit(x, y)
    took, took_cpu = time.perf_counter() - start, time.process_time() - cpu
    start, cpu = time.perf_counter(), time.process_time()
    p = m.predict(xt)
    predict, predict_cpu = time.perf_counter() - start, time.process_time() - cpu
    if kind == "svc" and len(m.classes_) == 2:
        np.asarray(m.support_, "<i4").tofile(f"{path}/rival.support")
        coef = m.dual_coef_.toarray() if hasattr(m.dual_coef_, "toarray") else m.dual_coef_
        np.asarray(coef.ravel(), "<f8").tofile(f"{path}/rival.coefficients")
    print(json.dumps({"lib": "scikit-learn " + sklearn.__version__, "fit": took, "fit_cpu": took_cpu, "predict": predict,
                      "predict_cpu": predict_cpu, "accuracy": float((p == yt).mean()), "support": int(len(m.support_)),
                      "offset": float(np.ravel(m.intercept_)[0])}))


if __name__ == "__main__":
    if sys.argv[1] == "data":
        data(sys.argv[2], sys.argv[3])
    else:
        fit(sys.argv[2], sys.argv[3], float(sys.argv[4]), float(sys.argv[5]))
