"""`ridgeline prune` of runs that are old, with and without making the file smaller."""

from __future__ import annotations

import contextlib
import re
import sqlite3

from ci.studies.faulting.outcome import Outcome
from ci.studies.faulting.place import Done, Place
from ci.studies.faulting.stored import Stored
from ci.studies.faulting.subjects.run import STEADY
from ci.studies.faulting.subjects.subject import Subject

_DROPPED = re.compile(r"^dropped [1-9]\d* samples?", re.MULTILINE)


class PruneSubject(Subject):
    name = "prune"

    def make_template(self, place: Place) -> None:
        profile = place.profile(*STEADY, processes=2 if self.quick else 20)
        for _ in range(3):
            place.call(place.run_command(profile))
        for file in place.results.glob("*.sqlite"):
            with contextlib.closing(sqlite3.connect(file)) as connection:
                connection.execute("UPDATE process SET started = '2020-01-01T00:00:00Z'")
                connection.commit()

    def command(self, place: Place) -> list[str]:
        return place.command("prune", "--older-than", "1d", "--yes", "--shrink")

    def judge(self, place: Place, now: Stored, done: Done, outcome: Outcome) -> None:
        dropped = bool(_DROPPED.search(done.output))
        for run, before in self.before.runs.items():
            one = now.runs.get(run)
            outcome.reported += before.measurements
            if one is None or one.contents != before.contents:
                outcome.find("lost", f"run {run} has lost more than samples")
            elif one.samples == before.samples and not dropped:
                continue
            elif one.whole or one.pruned != before.whole:
                outcome.find("wrong", f"the samples of run {run} are dropped in part")

    def whole_again(self, place: Place, now: Stored) -> list[str]:
        return [
            f"run {run} still has samples, or has lost more than those"
            for run, before in self.before.runs.items()
            if run not in now.runs
            or now.runs[run].contents != before.contents
            or now.runs[run].whole
        ]
