"""Lets the n-th call of a command fail that writes below its folder, alone or with all that follow
as on a full disk."""

from __future__ import annotations

import os
import random
import shutil
import struct
import subprocess
from pathlib import Path

from ci.studies.faulting import judgement, processes, stored
from ci.studies.faulting.outcome import Outcome
from ci.studies.faulting.place import Done, Place
from ci.studies.faulting.subjects.subject import Subject

SOURCE = Path(__file__).with_name("failing_calls.c")
NEVER = 2**62
ERRNO = {"ENOSPC": 28, "EIO": 5}
# What a message says of it, in the words of the system, of SQLite or of ridgeline.
REASONS = (
    *("No space left", "disk is full", "disk full", "nput/output error", "disk I/O error"),
    "its log cannot be made beside it",
)


class NoLibrary(Exception):
    """There is no compiler; the message says what to do."""


def build_library(path: Path) -> None:
    """Raises NoLibrary."""
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        raise NoLibrary(
            "there is no C compiler; build it elsewhere with --build-library, and name it with "
            "--library"
        )
    command = [compiler, "-O1", "-shared", "-fPIC", str(SOURCE), "-o", str(path), "-ldl"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise NoLibrary(f"{compiler} cannot build {SOURCE.name}: {done.stderr[:300]}")


class Calls:
    """The numbers that the library shares with us, as failing_calls.c has them."""

    FORM = struct.Struct("=5q")

    def __init__(self, place: Place, library: Path, first: int, last: int, error: str):
        self.file = place.folder / "calls"
        self.file.write_bytes(self.FORM.pack(0, first, last, ERRNO[error], 0))
        self.variables = {
            "LD_PRELOAD": str(library),
            "RIDGELINE_FAULTS_FOLDER": str(place.results.resolve()),
            "RIDGELINE_FAULTS_CALLS": str(self.file),
        }

    def counts(self) -> tuple[int, int]:
        """Calls, and how many failed."""
        calls, _, _, _, failed = self.FORM.unpack(self.file.read_bytes())
        return calls, failed


def count_calls(subject: Subject, library: Path) -> int:
    """Of the undisturbed command; 0 where the library has no effect on it."""
    place = subject.new_place("counted")
    subject.begin(place, None)
    calls = Calls(place, library, NEVER, NEVER, "EIO")
    place.call(subject.command(place), **calls.variables)
    return calls.counts()[0]


def trial(
    subject: Subject,
    library: Path,
    folder: Path,
    outcome: Outcome,
    call: int,
    stays: bool,
    chance: random.Random,
) -> None:
    """`stays`: all calls from number `call` on fail for want of space; else it alone fails, with an
    input/output error."""
    place = Place(folder, subject.programs)
    subject.begin(place, chance)
    error = "ENOSPC" if stays else "EIO"
    calls = Calls(place, library, call, NEVER if stays else call, error)
    try:
        done = place.call(subject.command(place), **calls.variables)
        outcome.hit = int(calls.counts()[1] > 0)
        left = processes.left_after(place.mark, judgement.GONE_WITHIN_S)
        if left:
            outcome.find("orphans", f"left alive: {left[0].name}", len(left))
        now = stored.read(place.results)
        _judge_exit(subject, place, done, outcome)
        judgement.judge(subject, place, now, done, outcome)
    finally:
        processes.end(place.mark)
    where = f"from call {call} on" if stays else f"call {call} alone"
    outcome.findings = [f"{error} {where}: {words}" for words in outcome.findings]


def _judge_exit(subject: Subject, place: Place, done: Done, outcome: Outcome) -> None:
    if done.code == subject.code:
        for words in subject.whole_again(place, stored.read(place.results)):
            outcome.find("wrong_exits", f"it ended with {done.code}, but {words}")
    elif done.code not in subject.refusals:
        outcome.find("wrong_exits", f"it ended with {done.code}: {done.last_words()}")
    elif not any(reason in subject.said(place, done) for reason in REASONS):
        outcome.find(
            "wrong_exits",
            f"it ended with {done.code} and did not say what failed: {done.last_words()}",
        )
