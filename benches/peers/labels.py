"""Sets of thousands of labels: the data both sides read, the rivals, and the measures of everybody's best labels.

data FOLDER SHARED              writes SET/{train,test}.txt (Extreme Classification text, tf-idf, rows of length 1)
fit FOLDER SET RIVAL THREADS    fits, stores and predicts: `train-CPU train-seconds predict-seconds MB peak-MB`;
                                the five best labels of the test rows go to SET/RIVAL.top
run FILE COMMAND ...            runs a command; `CPU seconds peak-MB` of it go to FILE
names FILE TOP                  the names of the best labels that the program wrote as CSV
judge FOLDER SET FILE           P@1 P@3 P@5 nDCG@5 PSP@1 PSP@3 PSP@5 macro-F1 (of the best 5, over labels with test rows)
"""
import csv, gzip, os, re, resource, shutil, subprocess, sys, tempfile, time
import numpy as np
import scipy.sparse as sp

BEST = 5


def parse(lines):
    """Rows and labels of the Extreme Classification text."""
    n, d, k = map(int, next(lines).split())
    labels, starts, ids, values = [], [0], [], []
    for line in lines:
        own, *pairs = line.rstrip("\n").split(" ")
        labels.append([int(l) for l in own.split(",") if l])
        for pair in pairs:
            j, x = pair.split(":")
            ids.append(int(j))
            values.append(float(x))
        starts.append(len(ids))
    assert len(labels) == n
    return sp.csr_matrix((values, ids, starts), (n, d)), labels, k


def read(path):
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path)) as f:
        return parse(iter(f))


def write(path, x, labels, k):
    with open(path, "w") as f:
        f.write(f"{x.shape[0]} {x.shape[1]} {k}\n")
        for i, own in enumerate(labels):
            row = slice(x.indptr[i], x.indptr[i + 1])
            pairs = (f"{j}:{v:.6g}" for j, v in zip(x.indices[row], x.data[row]))
            f.write(" ".join([",".join(map(str, own)), *pairs]) + "\n")


def weighted(train, test):
    """(1 + log count)·idf, rows of length 1; idf from the training rows."""
    idf = np.log((1 + train.shape[0]) / (1 + np.bincount(train.indices, minlength=train.shape[1]))) + 1
    out = []
    for x in (train, test):
        x = x.copy()
        x.data = (1 + np.log(x.data)) * idf[x.indices]
        length = np.sqrt(np.asarray(x.multiply(x).sum(1)).ravel())
        x = sp.csr_matrix(sp.diags(1 / np.where(length > 0, length, 1)) @ x)
        x.sort_indices()
        out.append(x)
    return out


def delicious(path):
    """Sparse ARFF, the last 983 attributes are labels; the first 12,920 rows train, as published."""
    attributes, rows, labels = 0, [], []
    for line in gzip.open(path, "rt"):
        if line.lower().startswith("@attribute"):
            attributes += 1
        elif line.startswith("{"):
            pairs = [p.split() for p in line.strip().strip("{}").split(",") if p.strip()]
            first = attributes - 983
            rows.append([int(j) for j, v in pairs if int(j) < first and v != "0"])
            labels.append([int(j) - first for j, v in pairs if int(j) >= first and v != "0"])
    starts = np.cumsum([0] + [len(r) for r in rows])
    x = sp.csr_matrix((np.ones(starts[-1]), np.concatenate(rows).astype(int), starts), (len(rows), attributes - 983))
    return x, labels


def data(folder, shared):
    for name in ("yso", "delicious"):
        os.makedirs(f"{folder}/{name}", exist_ok=True)
    source = f"{shared}/xmc_yso_finna_en"
    (a, la, k), (b, lb, _) = read(f"{source}/train.xmc.txt.gz"), read(f"{source}/test.xmc.txt.gz")
    a, b = weighted(a, b)
    write(f"{folder}/yso/train.txt", a, la, k)
    write(f"{folder}/yso/test.txt", b, lb, k)
    x, labels = delicious(f"{shared}/multilabel/delicious.arff.gz")
    a, b = weighted(x[:12920], x[12920:])
    write(f"{folder}/delicious/train.txt", a, labels[:12920], 983)
    write(f"{folder}/delicious/test.txt", b, labels[12920:], 983)


def cpu():
    return sum(resource.getrusage(resource.RUSAGE_SELF)[:2])


def size(folder):
    return sum(os.path.getsize(os.path.join(at, f)) for at, _, files in os.walk(folder) for f in files) / 1e6


def omikuji(train, test, model, threads, kind):
    import omikuji
    settings = omikuji.Model.default_hyper_param()
    if kind == "bonsai":
        settings.cluster_balanced, settings.cluster_k, settings.max_depth = False, 100, 3
    start, before = time.time(), cpu()
    fitted = omikuji.Model.train_on_data(train, settings, threads)
    spent = cpu() - before, time.time() - start
    fitted.save(model)
    x, _, _ = read(test)
    rows = [list(zip(x.indices[a:b].tolist(), x.data[a:b].tolist())) for a, b in zip(x.indptr, x.indptr[1:])]
    fitted.init_prediction_thread_pool(threads)
    start = time.time()
    best = [[l for l, _ in fitted.predict(row, beam_size=10, top_k=BEST)] for row in rows]
    return *spent, time.time() - start, best


def napkin(train, test, model, threads, kind):
    from napkinxc.models import BR, PLT
    x, labels, _ = read(train)
    xt, _, _ = read(test)
    make = dict(plt=PLT, br=BR)[kind]
    fitted = make(model, threads=threads, verbose=False)
    start, before = time.time(), cpu()
    fitted.fit(x, labels)
    spent = cpu() - before, time.time() - start
    start = time.time()
    best = [list(row) for row in fitted.predict(xt, top_k=BEST)]
    return *spent, time.time() - start, best


def pecos(train, test, model, threads, kind):
    from pecos.utils.featurization.text.vectorizers import Vectorizer  # noqa: F401 (fails early where it is not installed)
    from pecos.xmc import Indexer, LabelEmbeddingFactory
    from pecos.xmc.xlinear import XLinearModel
    x, labels, k = read(train)
    xt, _, _ = read(test)
    x, xt = sp.csr_matrix(x, dtype=np.float32), sp.csr_matrix(xt, dtype=np.float32)
    starts = np.cumsum([0] + [len(l) for l in labels])
    y = sp.csr_matrix((np.ones(starts[-1], np.float32), np.concatenate(labels).astype(int), starts), (len(labels), k))
    start, before = time.time(), cpu()
    fitted = XLinearModel.train(x, y, C=Indexer.gen(LabelEmbeddingFactory.create(y, x)), threads=threads)
    spent = cpu() - before, time.time() - start
    fitted.save(model)
    start = time.time()
    scores = fitted.predict(xt, only_topk=BEST, threads=threads)
    found = time.time() - start
    best = []
    for a, b in zip(scores.indptr, scores.indptr[1:]):
        best.append(scores.indices[a:b][np.argsort(-scores.data[a:b], kind="stable")].tolist())
    return *spent, found, best


RIVALS = {"omikuji-parabel": (omikuji, "parabel"), "omikuji-bonsai": (omikuji, "bonsai"), "napkinxc-plt": (napkin, "plt"),
          "napkinxc-br": (napkin, "br"), "pecos-xlinear": (pecos, "")}


def fit(folder, name, rival, threads):
    model = tempfile.mkdtemp()
    make, kind = RIVALS[rival]
    try:
        train, wall, predict, best = make(f"{folder}/{name}/train.txt", f"{folder}/{name}/test.txt", model, int(threads), kind)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        print(f"{train:.1f} {wall:.1f} {predict:.2f} {size(model):.1f} {peak:.0f}")
    finally:
        shutil.rmtree(model)
    with open(f"{folder}/{name}/{rival}.top", "w") as f:
        f.writelines(" ".join(map(str, row)) + "\n" for row in best)


def run(file, *command):
    start = time.time()
    subprocess.run(command, check=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(file, "w") as f:
        f.write(f"{used.ru_utime + used.ru_stime:.1f} {time.time() - start:.1f} {used.ru_maxrss / 1e3:.0f}\n")


def names(file, top):
    with open(file) as f, open(top, "w") as out:
        for row in list(csv.reader(f))[1:]:
            out.write(" ".join(row[::2]) + "\n")


def judge(folder, name, file):
    _, labels, k = read(f"{folder}/{name}/test.txt")
    _, known, _ = read(f"{folder}/{name}/train.txt")
    # Names of labels may be numbers behind a letter.
    best = [[int(re.sub(r"\D", "", w)) for w in line.split()][:BEST] for line in open(file)]
    assert len(best) == len(labels), (len(best), len(labels))
    n, count = len(known), np.bincount(np.concatenate(known).astype(int), minlength=k)
    # Jain, Prabhu and Varma (KDD 2016) with A = 0.55, B = 1.5.
    inverse = 1 + (np.log(n) - 1) * 2.5**0.55 * np.exp(-0.55 * np.log(count + 1.5))
    hits = np.zeros((len(best), BEST))
    gains = np.zeros((len(best), BEST))
    most = np.zeros((len(best), BEST))
    found, said = np.zeros(k), np.zeros(k)
    for i, (row, own) in enumerate(zip(best, labels)):
        for p, l in enumerate(row):
            said[l] += 1
            if l in own:
                hits[i, p], gains[i, p] = 1, inverse[l]
                found[l] += 1
        top = sorted((inverse[l] for l in own), reverse=True)[:BEST]
        most[i, :len(top)] = top
    true = np.bincount(np.concatenate([np.array(l, int) for l in labels]), minlength=k)
    discount = 1 / np.log2(np.arange(2, BEST + 2))
    ideal = np.array([discount[:min(len(l), BEST)].sum() for l in labels])
    p = [hits[:, :m].sum(1).mean() / m for m in (1, 3, 5)]
    ndcg = ((hits @ discount) / np.where(ideal > 0, ideal, 1)).mean()
    psp = [gains[:, :m].sum() / most[:, :m].sum() for m in (1, 3, 5)]
    there = true > 0
    macro = (2 * found[there] / (said[there] + true[there])).mean()
    print(" ".join(f"{100 * v:.2f}" for v in (*p, ndcg, *psp, macro)))


if __name__ == "__main__":
    dict(data=data, fit=fit, run=run, names=names, judge=judge)[sys.argv[1]](*sys.argv[2:])
