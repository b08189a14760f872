"""`ci/nightly`: the next night ends the killed one, and its own end is right."""

from __future__ import annotations

import json
import sys

from ci.studies.faulting.outcome import Outcome
from ci.studies.faulting.place import ROOT, Done, Place
from ci.studies.faulting.stored import Stored
from ci.studies.faulting.subjects.run import STEADY
from ci.studies.faulting.subjects.subject import Subject, count_lost


class NightlySubject(Subject):
    name = "nightly"
    fine = frozenset({0, 1, 2, 3})
    refusals = frozenset({2, 3, 64, 69, 70, 74})  # the worst of its steps'
    rivals = ("main", "worker", "group")

    def make_template(self, place: Place) -> None:
        place.call(self.command(place))
        place.ask("baseline", "set", "main", "latest")

    def command(self, place: Place) -> list[str]:
        return [
            *(sys.executable, str(ROOT / "ci" / "nightly"), "--without", "report"),
            *("--ridgeline", str(self.programs.ridgeline), "--results", str(place.results)),
            *("--device", self.programs.device, "--worker", str(self.programs.worker)),
            *("--profile", str(place.profile(*STEADY, processes=2 if self.quick else 8))),
            *("--min-free", "0", "--unfit", "measure"),
        ]

    def judge(self, place: Place, now: Stored, done: Done, outcome: Outcome) -> None:
        count_lost(done, now, outcome)
        outcome.find_all("wrong", self._records(place)[1])

    def said(self, place: Place, done: Done) -> str:
        """With the logs of the nights, where whatever its programs say is."""
        logs = (place.results / "nightly").glob("2*/log.txt")
        return super().said(place, done) + "".join(one.read_text(errors="replace") for one in logs)

    def _records(self, place: Place) -> tuple[dict[str, str], list[str]]:
        """States of the nights, and what is wrong with their records."""
        states, found = {}, []
        for path in sorted((place.results / "nightly").glob("2*/night.json*")):
            try:
                states[path.parent.name] = json.loads(path.read_text())["state"]
            except (ValueError, KeyError) as error:
                found.append(f"{path.parent.name}/{path.name} is no record: {error}")
            if path.name != "night.json":
                found.append(f"{path.parent.name}/{path.name} was set aside")
        return states, found

    def whole_again(self, place: Place, now: Stored) -> list[str]:
        states, found = self._records(place)
        if "running" in states.values():
            found.append("a night is still called running")
        nights = place.results / "nightly"
        latest = nights / "latest"
        newest = max(states, key=lambda name: (nights / name / "night.json").stat().st_mtime_ns)
        if latest.resolve().name != newest:
            found.append("nightly/latest is not the night that ended last")
        elif json.loads((latest / "night.json").read_text())["exit_code"] != self.code:
            found.append("the newest night's record has another exit code than the night")
        run = list(now.runs)[-1]
        if now.runs[run].status == "running":
            found.append(f"the night's run {run} has not ended")
        return found
