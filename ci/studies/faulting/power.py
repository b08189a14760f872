"""Stops a command that writes at a random moment, takes its store as it lies, and cuts the log of
the copy as a power failure does; and leaves journals of other programs beside stores."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

from ci.studies.faulting import cuts, processes, readers, stored
from ci.studies.faulting.outcome import Outcome
from ci.studies.faulting.place import LONGEST_S, Place, Programs
from ci.studies.faulting.subjects.subject import Subject

CUTS = 24  # of one log
REFUSED = 74  # exit code
JOURNAL = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"  # what a journal begins with once it counts


def cut_trial(subject: Subject, folder: Path, outcome: Outcome, chance: random.Random) -> None:
    place = Place(folder, subject.programs)
    subject.begin(place, chance)
    taken = folder / "taken"
    try:
        moment_s = chance.uniform(0, subject.usual_s)
        outcome.hit = int(_take(subject, place, taken, moment_s))
    finally:
        processes.end(place.mark)
    outcome.trials = 0
    for file in sorted(taken.glob("*.sqlite")):
        _cut(file, place, outcome, chance)
    outcome.findings = [f"after {moment_s * 1000:.0f} ms: {one}" for one in outcome.findings]


def _take(subject: Subject, place: Place, taken: Path, moment_s: float) -> bool:
    """Copies the store of the command when it has run so long; whether it still ran."""
    process = place.start(subject.command(place))
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(moment_s)
    running = process.poll() is None
    if running:
        os.kill(process.pid, signal.SIGSTOP)
        _wait_until_stopped(process.pid)
    taken.mkdir()
    for file in place.results.glob("*.sqlite*"):
        shutil.copy(file, taken)
    process.kill()
    process.wait(LONGEST_S)
    return running


def _wait_until_stopped(pid: int) -> None:
    """A signal may reach a process in the middle of a call."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        state = Path(f"/proc/{pid}/stat").read_text(errors="replace").rsplit(")", 1)[1].split()[0]
        if state in "TZ":
            return
        time.sleep(0.001)


def _cut(file: Path, place: Place, outcome: Outcome, chance: random.Random) -> None:
    log, index = (_bytes(Path(f"{file}{suffix}")) for suffix in ("-wal", "-shm"))
    before = 0
    for end, cut in cuts.cut_logs(log, cuts.moved_frames(index), chance, CUTS):
        outcome.trials += 1
        shutil.rmtree(place.results, ignore_errors=True)
        place.results.mkdir()
        shutil.copy(file, place.results)
        (place.results / f"{file.name}-wal").write_bytes(cut)
        if chance.random() < 0.3:  # of no use, since whoever opens it first makes it anew
            (place.results / f"{file.name}-shm").write_bytes(index)
        now = stored.read(place.results)
        wrong = list(now.wrong)
        if now.measurements < before:
            wrong.append(f"{now.measurements} measurements, and {before} with less of the log")
        before = max(before, now.measurements)
        outcome.reported += now.measurements
        wrong += readers.wrong(place, now) + _merged(place, now)
        if stored.read(place.results) != now:
            wrong.append("reading has changed what is stored")
        outcome.find_all("wrong", [f"log cut at {end} of {len(log)}: {one}" for one in wrong])


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def _merged(place: Place, now: stored.Stored) -> list[str]:
    """As a stranger's store: what it has of whole runs and gates is taken."""
    target = place.folder / "target"
    shutil.rmtree(target, ignore_errors=True)
    command = [str(place.programs.ridgeline), "merge", str(place.results), "--results", str(target)]
    done = place.call(command)
    if done.code:
        return [f"merge ended with {done.code}: {done.last_words()}"]
    taken = stored.read(target)
    return [] if taken.runs == now.runs else ["merging has not taken what is stored"]


def journal_trial(
    template: Path, programs: Programs, folder: Path, outcome: Outcome, chance: random.Random
) -> None:
    """A journal that another program left in the middle of a transaction, whole or cut."""
    place = Place(folder, programs)
    place.begin_with(template)
    (file,) = place.results.glob("*.sqlite")
    journal = _interrupted_elsewhere(file, place)
    whole = journal.read_bytes()
    if not whole.startswith(JOURNAL):
        outcome.find("wrong", "there is no journal to meet: the transaction was too small")
    outcome.trials, outcome.hit = 0, 1
    for end in (len(whole), chance.randint(1, len(whole)), chance.randint(1, 511)):
        outcome.trials += 1
        journal.write_bytes(whole[:end])
        before = {path.name: path.read_bytes() for path in place.results.iterdir()}
        other = folder / "other"
        for command in (
            ("runs", "--results", str(place.results)),
            ("trend", "--results", str(place.results)),
            ("prune", "--older-than", "1d", "--yes", "--results", str(place.results)),
            ("merge", str(place.results), "--results", str(other)),
            place.run_command(place.profile("constant"), "--no-wait")[1:],
        ):
            done = place.call([str(programs.ridgeline), *command])
            said = done.output + done.errors
            if done.code not in {REFUSED, 0 if command[0] == "runs" else REFUSED}:
                outcome.find("wrong_exits", f"{command[0]} ended with {done.code}: {said[-200:]}")
            if "-journal lies beside it" not in said:
                outcome.find("wrong", f"{command[0]} does not name the journal: {said[-200:]}")
            if before != {path.name: path.read_bytes() for path in place.results.iterdir()}:
                outcome.find("wrong", f"{command[0]} has changed a store with a journal")
    processes.end(place.mark)


def _interrupted_elsewhere(file: Path, place: Place) -> Path:
    """Copies the store as it is in the middle of a transaction with a journal; returns that."""
    journal = Path(f"{file}-journal")
    copies = place.folder / "middle"
    copies.mkdir()
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA cache_size = 1")  # so that pages go to the file before the end
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE measurement SET total_ns = total_ns + 1")
        for path in (file, journal):
            shutil.copy(path, copies)
        connection.rollback()
    for path in copies.iterdir():
        shutil.copy(path, file.parent)
    return journal
