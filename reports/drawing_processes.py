"""Draws independent pictures in as many processes as there are cores for them."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Any, TypeVar

MOST_PROCESSES = 8  # each holds a copy of what it draws

_Made = TypeVar("_Made")


def each(jobs: Sequence[Callable[[], _Made]]) -> list[_Made]:
    """What the jobs return, in their order; what the first of them that fails throws, with a note of where.

    Processes are forked, so that jobs find all that this one has in memory; only what they return or throw is sent.
    One job, or one core: here. No process is left when this returns or throws.
    """
    count = min(len(jobs), len(os.sched_getaffinity(0)), MOST_PROCESSES)
    if count < 2:
        return [job() for job in jobs]
    fork = multiprocessing.get_context("fork")
    taken = fork.Value("i", 0)
    processes: list[ForkProcess] = []
    results: list[Connection] = []
    try:
        for _ in range(count):
            received, sent = fork.Pipe(duplex=False)
            processes.append(fork.Process(target=_work, args=(jobs, taken, received, sent), daemon=True))
            processes[-1].start()
            sent.close()  # the process's end is the last, so that its death is the end of what it sends
            results.append(received)
        return _in_order(_collect(results), len(jobs), processes)
    finally:
        for process in processes:
            if process.pid is not None:
                process.terminate()
                process.join()
        for received in results:
            received.close()


@dataclass(frozen=True)
class _Thrown:
    error: BaseException


def _work(jobs: Sequence[Callable[[], Any]], taken: Any, received: Connection, sent: Connection) -> None:
    """Does the next job that nobody has taken until none is left; ends by itself when nobody receives."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C reaches every process: one of them is enough to tell of it
    received.close()
    while True:
        with taken.get_lock():
            index = taken.value
            taken.value += 1
        if index >= len(jobs):
            return
        try:
            result = jobs[index]()
        except Exception as error:
            taken.value = len(jobs)  # those before it are taken: which one is the first to fail does not depend on luck
            result = _Thrown(_sendable(error))
        try:
            sent.send((index, result))
        except BrokenPipeError:
            return


def _sendable(error: Exception) -> Exception:
    """`error` with its traceback as a note; where it cannot be sent, one that says the same."""
    note = "".join(traceback.format_exception(error))
    try:
        error.add_note(note)
        pickle.loads(pickle.dumps(error))
        return error
    except Exception:
        return RuntimeError(note)


def _collect(results: Sequence[Connection]) -> dict[int, Any]:
    """By the job's index, until all ends are closed."""
    made: dict[int, Any] = {}
    open_ = list(results)
    while open_:
        for received in wait(open_):
            assert isinstance(received, Connection)
            try:
                index, result = received.recv()
            except EOFError:
                open_.remove(received)
            else:
                made[index] = result
    return made


def _in_order(made: dict[int, Any], count: int, processes: Sequence[ForkProcess]) -> list[Any]:
    for _, result in sorted(made.items()):
        if isinstance(result, _Thrown):
            raise result.error
    if len(made) < count:
        for process in processes:
            process.join()
        codes = ", ".join(str(process.exitcode) for process in processes if process.exitcode)
        raise RuntimeError(
            f"drew {len(made)} of {count} pictures: a process that drew the others ended with exit code {codes} "
            "(-9: killed, mostly for want of memory); draw again on fewer cores, as with taskset -c 0"
        )
    return [made[index] for index in range(count)]
