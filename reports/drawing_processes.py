"""Draws independent pictures in as many processes as there are cores for them."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

MOST_PROCESSES = 8  # each holds a copy of what it draws

_Made = TypeVar("_Made")
_jobs: Sequence[Callable[[], Any]] = ()  # of this process


def each(jobs: Sequence[Callable[[], _Made]]) -> list[_Made]:
    """What the jobs return, in their order; what the first of them that fails throws, with where it
    did as its cause.

    Processes are forked, so that jobs find all that this one has in memory; only what they return
    or throw is sent. One job, or one core: here. No process is left when this returns or throws.
    """
    count = min(len(jobs), len(os.sched_getaffinity(0)), MOST_PROCESSES)
    if count < 2:
        return [job() for job in jobs]
    with ProcessPoolExecutor(count, multiprocessing.get_context("fork"), _begin, (jobs,)) as pool:
        try:
            return list(pool.map(_do, range(len(jobs))))
        except BaseException as error:
            for process in multiprocessing.active_children():
                process.terminate()
            if not isinstance(error, BrokenProcessPool):
                raise
            raise RuntimeError(
                "a process that drew pictures was killed, mostly for want of memory; draw again on "
                "fewer cores, as with taskset -c 0"
            ) from error


def _begin(jobs: Sequence[Callable[[], Any]]) -> None:
    global _jobs
    _jobs = jobs
    signal.signal(
        signal.SIGINT, signal.SIG_DFL
    )  # Ctrl-C reaches every process: one of them is enough to tell of it


def _do(index: int) -> Any:
    try:
        return _jobs[index]()
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:  # it cannot be sent, but said
            raise RuntimeError("".join(traceback.format_exception(error))) from None
        raise
