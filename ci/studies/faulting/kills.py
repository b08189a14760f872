"""Kills a command with SIGKILL at a random moment, and judges what it leaves."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
from pathlib import Path

from ci.studies.faulting import judgement, processes, stored
from ci.studies.faulting.outcome import Outcome
from ci.studies.faulting.place import LONGEST_S, Place
from ci.studies.faulting.processes import GUARD
from ci.studies.faulting.subjects.subject import Subject

# Of the kills of a command: mostly the program itself.
WEIGHTS = {"main": 12, "worker": 3, "guard": 3, "group": 3, "guard and main": 1}
DOCUMENTED = {0, 1, 2, 3, 69, 70, 74}  # exit codes of a command whose child was killed


def trial(subject: Subject, folder: Path, number: int, chance: random.Random) -> Outcome:
    place = Place(folder, subject.programs)
    outcome = Outcome(f"kill-{subject.name}", number)
    try:
        _kill(subject, place, outcome, chance)
    finally:
        processes.end(place.mark)
    return outcome


def _kill(subject: Subject, place: Place, outcome: Outcome, chance: random.Random) -> None:
    subject.begin(place, chance)
    (whom,) = chance.choices(subject.rivals, [WEIGHTS[rival] for rival in subject.rivals])
    delay_s = chance.uniform(0, subject.usual_s)
    process = place.start(subject.command(place))
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(delay_s)
    hit = process.poll() is None and _strike(whom, process.pid, place.mark)
    how = f"{whom} killed after {delay_s * 1000:.0f} ms" if hit else "not killed"
    outcome.hit = int(hit)
    killed = hit and whom in ("main", "group", "guard and main")
    left = _ended(process, place, outcome)
    if whom == "guard and main":
        outcome.known_orphans += len(left)
    elif left:
        names = ", ".join(f"{one.name} (pid {one.pid})" for one in left)
        outcome.find("orphans", f"left alive: {names}", len(left))
    processes.end(place.mark)
    done = place.printed(process.returncode)
    documented = done.code in DOCUMENTED if outcome.hit else done.code == subject.code
    if not killed and not documented:
        outcome.find("wrong_exits", f"it ended with {done.code}: {done.last_words()}")
    judgement.judge(subject, place, stored.read(place.results), done, outcome)
    outcome.findings = [f"{how}: {words}" for words in outcome.findings]


def _strike(whom: str, main: int, mark: str) -> bool:
    """Whether one was found that is meant by `whom`."""
    if whom in ("main", "group"):
        return _signal(main, group=whom == "group")
    below = [one for one in processes.marked(mark) if one.pid != main]
    guards = [one for one in below if one.name == GUARD]
    found = guards if whom.startswith("guard") else [one for one in below if one not in guards]
    hit = bool(found) and _signal(found[0].pid)
    return _signal(main) if whom == "guard and main" else hit


def _signal(pid: int, group: bool = False) -> bool:
    try:
        os.killpg(pid, signal.SIGKILL) if group else os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def _ended(process: subprocess.Popen, place: Place, outcome: Outcome) -> list[processes.Process]:
    """What is left of the command some time after its end."""
    try:
        process.wait(LONGEST_S)
    except subprocess.TimeoutExpired:
        outcome.find("wrong", f"it goes on for more than {LONGEST_S} s")
        process.kill()
        process.wait()
    return processes.left_after(place.mark, judgement.GONE_WITHIN_S)
