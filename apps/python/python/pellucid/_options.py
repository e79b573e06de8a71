"""What every call may use besides its arguments: memory, time, threads, and who watches."""

from __future__ import annotations

import contextlib
import contextvars
import os
import re
import warnings

__all__ = ["options"]

_DEFAULT = {"memory": None, "time": None, "progress": None}
_CURRENT = contextvars.ContextVar("pellucid_options", default=_DEFAULT)

# Pools of threads do not survive a fork: in a forked child one thread does the work.
_FORKED = False


def _forked():
    global _FORKED
    _FORKED = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


@contextlib.contextmanager
def options(*, memory=None, time=None, progress=None):
    """Limits and progress for everything inside a ``with`` block.

    Parameters
    ----------
    memory : int or str, optional
        Bytes that large buffers may take, such as ``"2G"``. By default four fifths of what is free.
    time : float, optional
        Seconds after which a fit stops and keeps the best so far.
    progress : callable or True, optional
        Called now and then as ``progress(stage, done, total, value)``; True draws a bar with tqdm.

    Examples
    --------
    >>> import pellucid
    >>> with pellucid.options(memory="1G", time=60):
    ...     model = pellucid.KMeans(n_clusters=2).fit([[0.0], [0.1], [5.0]])
    >>> bool(model.labels_[0] == model.labels_[1])
    True
    """
    new = {"memory": _bytes(memory), "time": time, "progress": progress}
    merged = {name: _CURRENT.get()[name] if value is None else value for name, value in new.items()}
    bar = None
    if merged["progress"] is True:
        bar = merged["progress"] = _Bar()
    token = _CURRENT.set(merged)
    try:
        yield
    finally:
        _CURRENT.reset(token)
        if bar is not None:
            bar.close()


class _Bar:
    """Progress as a tqdm bar, one per stage."""

    def __init__(self):
        from tqdm.auto import tqdm

        self._tqdm, self._bar, self._stage = tqdm, None, None

    def __call__(self, stage, done, total, value):
        if stage != self._stage or self._bar is None:
            self.close()
            self._bar, self._stage = self._tqdm(total=total, desc=stage), stage
        self._bar.n = done
        if value is not None:
            self._bar.set_postfix_str(f"{value:.4g}", refresh=False)
        self._bar.refresh()

    def close(self):
        if self._bar is not None:
            self._bar.close()


def _bytes(memory):
    if memory is None or isinstance(memory, int):
        return memory
    found = re.fullmatch(r"\s*([0-9.]+)\s*([kKMGT]?)i?[bB]?\s*", str(memory))
    if not found:
        raise ValueError(f"memory = {memory!r}: must be a number of bytes such as 2000000 or '2G'")
    return int(float(found[1]) * 1024 ** " KMGT".index(found[2].upper() or " "))


def threads(n_jobs):
    """How many threads ``n_jobs`` means; 0 is all cores."""
    if _FORKED:
        return 1
    if n_jobs is None:
        # joblib tells its workers in this way how many threads each may use.
        share = os.environ.get("OMP_NUM_THREADS", "")
        return int(share) if share.isdigit() else 0
    if isinstance(n_jobs, bool) or int(n_jobs) != n_jobs or n_jobs == 0:
        raise ValueError(f"n_jobs = {n_jobs!r}: must be None, a whole number above 0, or -1 for all cores")
    if n_jobs > 0:
        return int(n_jobs)
    return max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))


def limits(seed=0, n_jobs=None):
    """The limits of one call, as the compiled part takes them."""
    now = _CURRENT.get()
    return {
        "seed": seed,
        "threads": threads(n_jobs),
        "memory": now["memory"],
        "seconds": now["time"],
        "progress": now["progress"],
    }


def warn(text, category=UserWarning):
    warnings.warn(text, category, stacklevel=4)
