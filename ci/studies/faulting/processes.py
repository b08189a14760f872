"""Processes by a mark in their environment, which all that is started below a marked one inherits:
names and parents change, the mark does not."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "RIDGELINE_FAULTS_TRIAL"
GUARD = "ridgeline-guard"  # as harness/process/child.cpp names what waits between two processes


@dataclass(frozen=True)
class Process:
    pid: int
    parent: int
    name: str


def marked(mark: str) -> list[Process]:
    """Processes that live and have the mark. What is a zombie has no environment."""
    entry = f"{VARIABLE}={mark}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):
            if entry in (folder / "environ").read_bytes().split(b"\0"):
                found.append(
                    _described(int(folder.name), (folder / "stat").read_text(errors="replace"))
                )
    return found


def _described(pid: int, stat: str) -> Process:
    name, rest = stat.split("(", 1)[1].rsplit(")", 1)
    return Process(pid, int(rest.split()[1]), name)


def left_after(mark: str, wait_s: float) -> list[Process]:
    """What lives `wait_s` later. A process that executes a program has no environment for a
    moment, so that nobody is gone who was missed once."""
    until = time.monotonic() + wait_s
    missed = 0
    while True:
        left = marked(mark)
        missed = 0 if left else missed + 1
        if missed == 2 or (left and time.monotonic() > until):
            return left
        time.sleep(0.005 if missed else 0.02)


def end(mark: str) -> None:
    """Kills what has the mark, also what is stopped, until there is none."""
    until = time.monotonic() + 10
    while (left := marked(mark)) and time.monotonic() < until:
        for process in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        time.sleep(0.01)
