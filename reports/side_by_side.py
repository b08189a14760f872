"""Draws independent pictures in as many processes as there are cores for them."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

MOST_PROCESSES = 8  # each holds a copy of what it draws

_Made = TypeVar("_Made")
_jobs: Sequence[Callable[[], Any]] = ()  # where the forked processes find them


def each(jobs: Sequence[Callable[[], _Made]]) -> list[_Made]:
    """What the jobs return, in their order; what the first of them that fails throws, with its traceback as the cause.

    Processes are forked, so that jobs find all that this one has in memory; only what they return or throw is sent.
    One job, or one core: here. No process is left when this returns or throws.
    """
    count = min(len(jobs), len(os.sched_getaffinity(0)), MOST_PROCESSES)
    if count < 2:
        return [job() for job in jobs]
    global _jobs
    _jobs = jobs
    pool = ProcessPoolExecutor(count, multiprocessing.get_context("fork"), initializer=_leave_interrupts)
    try:
        return list(pool.map(_do, range(len(jobs))))
    except BrokenProcessPool as error:
        raise RuntimeError(
            "a process that drew pictures was killed, mostly for want of memory; draw again on fewer cores, as with "
            "taskset -c 0"
        ) from error
    except BaseException:
        for process in multiprocessing.active_children():  # what is still being drawn is of no use
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        _jobs = ()


def _do(index: int) -> Any:
    return _jobs[index]()


def _leave_interrupts() -> None:
    """Ctrl-C reaches every process of a terminal: one of them is enough to tell of it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
