"""Draws independent pictures in as many processes as there are cores for them."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import traceback
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from reports.parent import dies_with

MOST_PROCESSES = 8  # each holds a copy of what it draws

_Made = TypeVar("_Made")
_Jobs = Sequence[Callable[[], Any]]


class _There(Exception):
    """The traceback of a process that drew, in words."""


def each(jobs: Sequence[Callable[[], _Made]]) -> list[_Made]:
    """What the jobs return, in their order; what the first of them that fails throws, with where it
    did as its cause.

    Processes are forked, so that jobs find all that this one has in memory; only what they return
    or throw is sent. One job, or one core: here. No process is left when this returns or throws,
    nor when this process is killed.
    """
    count = min(len(jobs), len(os.sched_getaffinity(0)), MOST_PROCESSES)
    if count < 2:
        return [job() for job in jobs]
    context = multiprocessing.get_context("fork")
    prepare = dies_with(os.getpid(), signal.SIGKILL)
    processes, ends = [], []
    try:
        for _ in range(count):
            here, there = context.Pipe()
            ends.append(here)
            processes.append(context.Process(target=_work, args=(jobs, there, prepare)))
            processes[-1].start()
            there.close()  # so that the process is the only one that has it, and its end is seen
        return _collect(ends, len(jobs))
    finally:
        for process in processes:
            if process.pid:
                process.kill()
                process.join()
        for end in ends:
            end.close()


def _collect(ends: list[Connection], count: int) -> list[Any]:
    """Hands out jobs, and no more once one has failed; jobs before that one are waited for."""
    made: dict[int, Any] = {}
    failed: dict[int, tuple[Exception, str]] = {}
    busy: dict[Connection, int] = {}
    idle, left = list(ends), iter(range(count))
    while True:
        while idle and not failed and (index := next(left, None)) is not None:
            busy[idle[-1]] = index
            _asked(idle.pop(), index)
        if not busy or (failed and min(failed) < min(busy.values())):
            break
        for end in wait(list(busy)):
            index = busy.pop(end)
            fine, what = _received(end)
            (made if fine else failed)[index] = what
            idle.append(end)
    if failed:
        error, where = failed[min(failed)]
        raise error from _There(f"\n{where}")
    return [made[index] for index in range(count)]


def _asked(end: Connection, index: int) -> None:
    try:
        end.send(index)
    except OSError as error:
        raise _killed() from error


def _received(end: Connection) -> tuple[bool, Any]:
    try:
        return end.recv()
    except (EOFError, OSError) as error:
        raise _killed() from error


def _killed() -> RuntimeError:
    return RuntimeError(
        "a process that drew pictures was killed, mostly for want of memory; draw again on "
        "fewer cores, as with taskset -c 0"
    )


def _work(jobs: _Jobs, end: Connection, prepare: Callable[[], None]) -> None:
    """In a forked process, which is ended by the one that has begun it, and by that one alone: it
    tells of a signal to the group."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    prepare()
    while True:
        end.send_bytes(_done(jobs[end.recv()]))


def _done(job: Callable[[], Any]) -> bytes:
    try:
        return pickle.dumps((True, job()))
    except Exception as error:
        where = "".join(traceback.format_exception(error))
        try:
            sent = pickle.dumps((False, (error, where)))
            pickle.loads(sent)
        except Exception:  # it cannot be sent, but said
            sent = pickle.dumps((False, (RuntimeError(where), where)))
        return sent
