"""`ridgeline run`, with workers that crash, hang and leave daemons."""

from __future__ import annotations

import random

from ci.studies.faulting import stored
from ci.studies.faulting.outcome import Outcome
from ci.studies.faulting.place import Done, Place
from ci.studies.faulting.stored import Stored
from ci.studies.faulting.subjects.subject import (
    Subject,
    count_lost,
    unfinished_but_called_finished,
)

STEADY = ("constant", "noisy", "drifting")
RUDE = ("prints", "segfault", "leaves_daemon", "loops_with_child")


class RunSubject(Subject):
    name = "run"
    fine = frozenset({0, 2, 3})
    rivals = ("main", "worker", "guard", "group", "guard and main")

    def make_template(self, place: Place) -> None:
        place.call(place.run_command(place.profile("constant")))

    def begin(self, place: Place, chance: random.Random | None) -> None:
        place.begin_with(None if chance and chance.random() < 0.5 else self.template)

    def command(self, place: Place) -> list[str]:
        if self.quick:
            return place.run_command(place.profile(*STEADY, processes=2), "--no-wait")
        profile = place.profile(*STEADY, *RUDE, processes=4, case_timeout="150ms")
        return place.run_command(profile, "--no-wait")

    def judge(self, place: Place, now: Stored, done: Done, outcome: Outcome) -> None:
        run = count_lost(done, now, outcome).run
        outcome.find_all("wrong", self._unfinished(now, run))
        for known, before in self.before.runs.items():
            if known in now.runs and now.runs[known] != before:
                outcome.find("wrong", f"run {known} of before is not as it was")

    def _unfinished(self, now: Stored, run: str) -> list[str]:
        return unfinished_but_called_finished(self.programs, now, self.whole, run)

    def again(self, place: Place, now: Stored) -> list[str]:
        if self.quick:
            return super().again(place, now)
        done = place.call(place.run_command(place.profile("constant", name="next"), "--no-wait"))
        if done.code != 0 and (self.programs.scripted or done.code not in self.fine):
            return [f"the next run ended with {done.code}: {done.last_words()}"]
        newest = list(stored.read(place.results).runs.values())[-1:]
        if not newest or newest[0].status != "finished":
            return ["the next run is not finished"]
        return []

    def whole_again(self, place: Place, now: Stored) -> list[str]:
        """The newest run is finished, and has everything."""
        if not now.runs:
            return ["there is no run"]
        newest = list(now.runs)[-1]
        if now.runs[newest].status != "finished":
            return [f"run {newest} is {now.runs[newest].status}"]
        return self._unfinished(now, newest)
