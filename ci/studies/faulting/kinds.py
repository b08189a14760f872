"""What can be disturbed in which way, and how many trials of each are begun."""

from __future__ import annotations

import argparse
import functools
import random
from collections.abc import Callable
from pathlib import Path

from ci.studies.faulting import full_disk, kills, power
from ci.studies.faulting.outcome import Outcome
from ci.studies.faulting.place import Programs
from ci.studies.faulting.subjects import SUBJECTS
from ci.studies.faulting.subjects.prune import PruneSubject
from ci.studies.faulting.subjects.subject import Unfit

DISTURBANCES = ("kill", "full", "power")
SHARES = {"run": 45, "gate": 25, "merge": 9, "prune": 9, "nightly": 8, "report": 4}  # of the kills


class Kind:
    """A command that is disturbed in one way. `wanted`: trials that hit it; trials that find it
    at its end already are made up for, as many again at most."""

    def __init__(self, name: str, wanted: int, first: int):
        self.name, self.wanted, self.first = name, wanted, first
        self.begun = self.hits = self.running = 0

    def prepare(self) -> str:
        """Why there can be no trials; empty where there can."""
        return ""

    def trial(self, folder: Path, number: int, chance: random.Random) -> Outcome:
        raise NotImplementedError

    @property
    def share_done(self) -> float:
        return (self.hits + self.running) / self.wanted

    def next_number(self) -> int:
        """Of the next trial; 0 where no more are wanted."""
        if self.hits + self.running >= self.wanted or self.begun >= 2 * self.wanted:
            return 0
        self.begun += 1
        self.running += 1
        return self.first + self.begun - 1

    def ended(self, outcome: Outcome) -> None:
        self.running -= 1
        self.hits += outcome.hit > 0


class Kill(Kind):
    def __init__(self, subject: str, folder: Path, programs: Programs, options: argparse.Namespace):
        every = sum(SHARES[name] for name in SUBJECTS if _asked(options, "kill", name))
        wanted = max(1, round(options.kills * SHARES[subject] / every))
        super().__init__(f"kill-{subject}", wanted, options.first)
        self.subject = SUBJECTS[subject](folder, programs)

    def prepare(self) -> str:
        try:
            self.subject.prepare()
        except Unfit as why:
            return str(why)
        return ""

    def trial(self, folder: Path, number: int, chance: random.Random) -> Outcome:
        return kills.trial(self.subject, folder, number, chance)


class FullDisk(Kind):
    """Each call of a command in turn, in an order that is spread over it, fails in two ways."""

    def __init__(self, subject: str, folder: Path, programs: Programs, options: argparse.Namespace):
        super().__init__(f"full-{subject}", options.trials, options.first)
        self.subject = SUBJECTS[subject](folder, programs, quick=True)
        self.library = options.library
        self.order: list[tuple[int, bool]] = []
        self.seed = options.seed

    def prepare(self) -> str:
        try:
            self.subject.prepare()
            if not self.library:
                self.library = self.subject.folder / "failing_calls.so"
                full_disk.build_library(self.library)
        except (Unfit, full_disk.NoLibrary) as why:
            return str(why)
        calls = full_disk.count_calls(self.subject, self.library.absolute())
        if not calls:
            return f"{self.library} has no effect; its programs load no shared C library"
        self.order = [(call, stays) for call in range(1, calls + 1) for stays in (True, False)]
        random.Random(self.seed).shuffle(self.order)
        return ""

    def next_number(self) -> int:
        last = min(len(self.order), self.first - 1 + self.wanted)
        if self.first + self.begun > last:
            return 0
        self.begun += 1
        self.running += 1
        return self.first + self.begun - 1

    def trial(self, folder: Path, number: int, chance: random.Random) -> Outcome:
        outcome = Outcome(self.name, number)
        call, stays = self.order[number - 1]
        full_disk.trial(self.subject, self.library.absolute(), folder, outcome, call, stays, chance)
        return outcome


class Cut(Kind):
    """Logs of a command that is stopped at random moments."""

    def __init__(self, subject: str, folder: Path, programs: Programs, options: argparse.Namespace):
        super().__init__(f"power-{subject}", max(1, options.trials // 6), options.first)
        self.subject = SUBJECTS[subject](folder, programs, quick=subject == "gate")

    prepare = Kill.prepare

    def trial(self, folder: Path, number: int, chance: random.Random) -> Outcome:
        outcome = Outcome(self.name, number)
        power.cut_trial(self.subject, folder, outcome, chance)
        return outcome


class Journal(Kind):
    """Stores beside which another program left its journal."""

    def __init__(self, folder: Path, programs: Programs, options: argparse.Namespace):
        super().__init__("power-journal", max(1, options.trials // 6), options.first)
        self.subject = PruneSubject(folder, programs)

    prepare = Kill.prepare

    def trial(self, folder: Path, number: int, chance: random.Random) -> Outcome:
        outcome = Outcome(self.name, number)
        power.journal_trial(self.subject.template, self.subject.programs, folder, outcome, chance)
        return outcome


def _asked(options: argparse.Namespace, disturbance: str, subject: str) -> bool:
    return not options.only or bool(
        {disturbance, subject, f"{disturbance}-{subject}"} & set(options.only)
    )


def kinds() -> dict[str, Callable[[Path, Programs, argparse.Namespace], Kind]]:
    """Each by its name."""
    commands = {
        f"{disturbance}-{subject}": functools.partial(make, subject)
        for disturbance, make in (("kill", Kill), ("full", FullDisk))
        for subject in SUBJECTS
    }
    written = {f"power-{subject}": functools.partial(Cut, subject) for subject in ("run", "gate")}
    return {**commands, **written, "power-journal": Journal}
