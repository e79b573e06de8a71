"""Interrupts, memory and threads, measured from outside in processes of their own."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

linux = pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc")

SHARED = """
import os, numpy as np, pellucid
def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
def in_use():
    # Numbers of our own alone: pages of libraries come and go as the system likes. What is free is given back first.
    import ctypes
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim:
        trim(0)
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("RssAnon")) / 1024
def peak():
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmHWM")) / 1024
"""


def run(code, **more):
    """What a script prints."""
    whole = SHARED + textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-c", whole], capture_output=True, text=True, timeout=240, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_an_interrupt_is_heard_and_leaves_a_usable_estimator():
    code = SHARED + textwrap.dedent(
        """
        import signal, sys, time
        # Whoever started the tests in the background may have had interrupts ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(20000, 50)), rng.integers(2, size=20000)
        model = pellucid.MLPClassifier(hidden_layer_sizes=(500, 500), max_iter=100000, tol=0.0)
        print("ready", flush=True)
        try:
            model.fit(X, y)
            print("finished")
        except KeyboardInterrupt:
            print("heard", time.time(), model.certificate_.interrupted, model.predict(X[:3]).shape)
        """
    )
    work = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert work.stdout.readline().strip() == "ready"
        time.sleep(1.5)
        sent = time.time()
        work.send_signal(signal.SIGINT)
        out, _ = work.communicate(timeout=60)
    finally:
        work.kill()
    word, when, interrupted, shape = out.split(maxsplit=3)
    assert (word, interrupted, shape.strip()) == ("heard", "True", "(3,)")
    assert float(when) - sent < 2.0


@linux
def test_fits_and_explanations_do_not_leak():
    before, after = run(
        """
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(200, 20)), rng.integers(2, size=200)
        def once():
            for model in (pellucid.SVC(n_jobs=1).fit(X, y), pellucid.LogisticRegression(n_jobs=1).fit(X, y)):
                model.explain(X[:20])
                model.predict(X)
        for _ in range(100):
            once()
        before = in_use()
        for _ in range(1000):
            once()
        print(before, in_use())
        """,
        # Of several arenas some keep a freed block of megabytes and some do not, from round to round.
        env={**os.environ, "MALLOC_ARENA_MAX": "1"},
    )
    assert float(after) - float(before) < 5.0


@linux
@pytest.mark.parametrize("kind", ["float64", "float32"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_contiguous_rows_are_not_copied(kind, order):
    size, before, after = run(
        f"""
        X = np.ones((200 * 2**20 // np.dtype("{kind}").itemsize // 50, 50), dtype="{kind}", order="{order}")
        y = np.arange(len(X)) % 2
        small = pellucid.NearestCentroid().fit(X[:100], y[:100])
        before = resident()
        pellucid.NearestCentroid().fit(X, y)
        print(X.nbytes / 2**20, before, peak())
        """
    )
    # Codes of classes and what NumPy needs to find them are allowed, another matrix is not. Columns that are contiguous
    # are copied, which shows that copies are seen.
    grown = float(after) - float(before)
    assert (grown < 0.3 * float(size)) == (order == "C"), f"{grown} MB on top of {size} MB"


@linux
def test_threads_obey_n_jobs():
    found = run(
        """
        import threading, time
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(6000, 100)), rng.integers(2, size=6000)
        def most(n_jobs):
            seen, stop = [0], threading.Event()
            def look():
                while not stop.is_set():
                    seen[0] = max(seen[0], len(os.listdir("/proc/self/task")))
                    time.sleep(0.002)
            watcher = threading.Thread(target=look)
            before = len(os.listdir("/proc/self/task"))
            watcher.start()
            pellucid.KNeighborsClassifier(n_jobs=n_jobs).fit(X, y).predict(X)
            stop.set()
            watcher.join()
            return seen[0] - before - 1  # The watcher is one itself.
        print(most(1), most(3))
        """
    )
    one, three = map(int, found)
    # The thread that works for the call, and its pool.
    assert one <= 2 and three >= one + 2
