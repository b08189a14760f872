"""`ridgeline merge` of two folders into a third."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from ci.studies.faulting.outcome import Outcome
from ci.studies.faulting.place import Done, Place
from ci.studies.faulting.stored import Stored
from ci.studies.faulting.subjects.gate import GateSubject
from ci.studies.faulting.subjects.run import STEADY, RunSubject
from ci.studies.faulting.subjects.subject import Subject

_MERGED = re.compile(r"\.sqlite: .*?(\d+) measurements?$", re.MULTILINE)


class MergeSubject(Subject):
    name = "merge"

    def sources(self) -> list[Path]:
        return [self.folder / name for name in ("runner-1", "runner-2")]

    def make_template(self, place: Place) -> None:
        few = place.profile("constant", name="few")
        many = place.profile(*STEADY, processes=2 if self.quick else 30, name="many")
        gate = GateSubject(self.folder / "gates", self.programs, quick=True)
        for number, source in enumerate(self.sources()):
            maker = self.new_place(source.name + "-maker")
            maker.results = source
            for _ in range(1 if self.quick else 2):
                maker.call(maker.run_command(many))
            if number == 0:
                maker.call(gate.command(maker))
        place.call(place.run_command(few))
        self.untouched = self._bytes()

    begin = RunSubject.begin

    def _bytes(self) -> dict[str, str]:
        """Of what the sources hold. An empty log and its index may stay beside a file."""
        return {
            str(path): hashlib.sha256(path.read_bytes()).hexdigest()
            for source in self.sources()
            for path in sorted(source.iterdir())
            if not path.name.endswith("-shm")
            and not (path.name.endswith("-wal") and path.stat().st_size == 0)
        }

    def command(self, place: Place) -> list[str]:
        return place.command("merge", *self.sources())

    def judge(self, place: Place, now: Stored, done: Done, outcome: Outcome) -> None:
        merged = sum(int(count) for count in _MERGED.findall(done.output))
        outcome.reported += merged
        known = sum(now.runs[run].measurements for run in self.before.runs if run in now.runs)
        if (have := now.measurements - known) < merged:
            outcome.find("lost", f"{have} of {merged} merged measurements are there", merged - have)
        for run, one in now.runs.items():
            expected = self.before.runs.get(run) or self.whole.runs.get(run)
            if one != expected:
                outcome.find("wrong", f"run {run} is neither as before nor whole")
        for gate, one in now.gates.items():
            if one != self.whole.gates.get(gate):
                outcome.find("wrong", f"gate {gate} is there in part")
        if self._bytes() != self.untouched:
            outcome.find("wrong", "a folder that was merged from has changed")

    def whole_again(self, place: Place, now: Stored) -> list[str]:
        missing = [
            f"run {run} is not there as a whole"
            for run, one in self.whole.runs.items()
            if run not in self.before.runs and now.runs.get(run) != one
        ]
        return missing + [
            f"gate {gate} is not there as a whole"
            for gate, one in self.whole.gates.items()
            if now.gates.get(gate) != one
        ]
