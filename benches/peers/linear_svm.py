"""Linear support vector machines: LIBLINEAR's side, and the data both sides read.

data FOLDER SHARED             writes the problems as raw little-endian files (format of peers/svm.py)
fit FOLDER SET SOLVER C EPS    fits and predicts: `seconds-of-CPU objective error`; solver is LIBLINEAR's number of -s
"""
import gzip, os, re, sys, tarfile, time
import numpy as np
import scipy.sparse as sp
from svm import idx, load, save


def text(folder, n=20000, nt=5000, d=50000, k=1000, nnz=100, seed=3):
    """Zipf background words and 40 topic words a class, Zipf class sizes, TF-IDF, unit rows."""
    r = np.random.RandomState(seed)
    pz = 1 / np.arange(1, d + 1) ** 1.05
    perm, cdf = r.permutation(d), np.cumsum(pz / pz.sum())
    topic, ck = r.randint(500, d, (k, 40)), 1 / np.arange(1, k + 1) ** 0.6
    m = n + nt
    y = np.r_[np.arange(k), r.choice(k, m - k, p=ck / ck.sum())]
    r.shuffle(y[:n])
    rows = np.repeat(np.arange(m), nnz)
    cols = perm[np.minimum(np.searchsorted(cdf, r.rand(m * nnz)), d - 1)]
    own = r.rand(m * nnz) < 0.06
    ys = np.repeat(y, nnz)
    near = np.where(r.rand(m * nnz) < 0.35, (ys + 1 + r.randint(0, 5, m * nnz)) % k, ys)
    tw = topic[near, (40 * r.rand(m * nnz) ** 2).astype(int)]
    cols = np.where(own, perm[tw], cols)
    x = sp.csr_matrix((np.ones(m * nnz), (rows, cols)), (m, d))
    x.sum_duplicates()
    df = np.bincount(x.indices, minlength=d)
    x.data = (1 + np.log(x.data)) * np.log((1 + m) / (1 + df[x.indices]))
    x = sp.csr_matrix(sp.diags(1 / np.sqrt(np.asarray(x.multiply(x).sum(1)).ravel())) @ x)
    x.sort_indices()
    save(folder, "text1000", x[:n], y[:n], x[n:], y[n:])


def words(folder, name, texts, labels):
    from sklearn.feature_extraction.text import TfidfVectorizer
    x = sp.csr_matrix(TfidfVectorizer(sublinear_tf=True).fit_transform(texts))
    x.sort_indices()
    codes = {l: i for i, l in enumerate(sorted(set(labels)))}
    split(folder, name, x, np.array([codes[l] for l in labels]))


def split(folder, name, x, y):
    order = np.random.RandomState(0).permutation(len(y))
    a, b = order[: len(y) * 4 // 5], order[len(y) * 4 // 5:]
    save(folder, name, x[a], y[a], x[b], y[b])


def reuters(path):
    texts, labels = [], []
    for member in (archive := tarfile.open(path)):
        if not member.name.endswith(".sgm"):
            continue
        content = archive.extractfile(member).read().decode("latin-1")
        for document in content.split("<REUTERS")[1:]:
            topics = re.findall(r"<D>(.*?)</D>", document.split("<TOPICS>")[1].split("</TOPICS>")[0])
            body = re.search(r"<BODY>(.*?)</BODY>", document, re.S)
            if len(topics) == 1 and body:
                texts.append(body.group(1))
                labels.append(topics[0])
    counts = {l: labels.count(l) for l in set(labels)}
    keep = [i for i, l in enumerate(labels) if counts[l] >= 5]
    return [texts[i] for i in keep], [labels[i] for i in keep]


def data(folder, shared):
    import pandas as pd
    from sklearn.datasets import load_svmlight_file
    from sklearn.preprocessing import StandardScaler
    text(folder)
    words(folder, "reuters", *reuters(f"{shared}/reuters21578/reuters21578-sgm.tar.xz"))
    d = pd.read_csv(f"{shared}/text_moderation/davidson_hate_offensive_labeled_data.csv.gz")
    words(folder, "davidson", list(d["tweet"]), list(d["class"]))
    lines = [l.split("\t", 1) for l in gzip.open(f"{shared}/sms_spam/SMSSpamCollection.gz", "rt", encoding="utf-8").read().splitlines()]
    words(folder, "sms", [l[1] for l in lines], [l[0] for l in lines])
    for name in ("a9a", "w8a"):
        x, y = load_svmlight_file(f"{shared}/libsvm/{name}.gz")
        split(folder, name, sp.csr_matrix(x), (y > 0).astype(int))
    k = pd.read_csv(f"{shared}/kdd99/kddcup.data_10_percent.gz", header=None).sample(100000, random_state=0)
    x = pd.get_dummies(k.iloc[:, :-1], columns=[1, 2, 3]).astype(float).to_numpy()
    codes = k.iloc[:, -1].astype("category").cat.codes.to_numpy()
    split(folder, "kdd", sp.csr_matrix(StandardScaler(with_mean=False).fit_transform(x)), codes)
    l = pd.read_csv(f"{shared}/uci/letter.csv.gz")
    target = [c for c in l.columns if l[c].dtype == object or str(l[c].dtype) in ("string", "str")][0]
    split(folder, "letter", StandardScaler().fit_transform(l.drop(columns=target).to_numpy(float)), l[target].astype("category").cat.codes.to_numpy())
    part = lambda p, w: idx(f"{shared}/mnist/{p}-{w}-ubyte.gz")
    save(folder, "mnist", part("train", "images-idx3").reshape(-1, 784) / 255.0, part("train", "labels-idx1"),
         part("t10k", "images-idx3").reshape(-1, 784) / 255.0, part("t10k", "labels-idx1"))


def fit(folder, name, solver, c, eps):
    from liblinear.liblinearutil import parameter, problem, train
    x, y = load(f"{folder}/{name}", "tr")
    xt, yt = load(f"{folder}/{name}", "te")
    asked = problem(y.astype(float), x if sp.issparse(x) else sp.csr_matrix(x))
    start, fits, seconds = time.process_time(), 0, 0
    while seconds < 0.5:
        m = train(asked, parameter(f"-s {solver} -c {c} -e {eps} -q"))
        fits, seconds = fits + 1, time.process_time() - start
    seconds /= fits
    k, d = m.nr_class, m.nr_feature
    order = [m.label[i] for i in range(k)]
    two = k == 2 and solver != 4
    w = np.ctypeslib.as_array(m.w, (d * (1 if two else k),)).reshape(d, -1).copy()
    s, st = np.asarray(x[:, :d] @ w), np.asarray(xt[:, :d] @ w)
    if two:
        s, st, w = np.c_[s, -s], np.c_[st, -st], w
    place = {label: i for i, label in enumerate(order)}
    codes = np.array([place[v] for v in y])
    hit = np.arange(len(y)), codes
    if solver == 4:
        rest = s - s[hit][:, None] + 1
        rest[hit] = 0
        loss = rest.max(1).sum()
    else:
        sign = -np.ones_like(s)
        sign[hit] = 1
        h = np.maximum(0, 1 - sign * s)
        if solver == 1:
            h = h * h
        if solver == 7:
            h = np.logaddexp(0, -sign * s)
        loss = (h[:, 0] if two else h).sum()
    objective = 0.5 * (w * w).sum() + c * loss
    error = np.mean(np.array(order)[st.argmax(1)] != yt)
    print(f"{seconds:.4f} {objective:.8g} {error:.4f}")


if __name__ == "__main__":
    if sys.argv[1] == "data":
        data(sys.argv[2], sys.argv[3])
    else:
        fit(sys.argv[2], sys.argv[3], int(sys.argv[4]), float(sys.argv[5]), float(sys.argv[6]))
