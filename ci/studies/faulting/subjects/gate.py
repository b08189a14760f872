"""`ridgeline gate` of two workers, which is resumed where it was killed."""

from __future__ import annotations

import shlex
from pathlib import Path

from ci.studies.faulting import stored
from ci.studies.faulting.outcome import Outcome
from ci.studies.faulting.place import Done, Place
from ci.studies.faulting.stored import Gate, Stored
from ci.studies.faulting.subjects.run import RunSubject
from ci.studies.faulting.subjects.subject import Subject, count_lost

VARIANTS = ("constant", "noisy", "process_noise", "bimodal", "segfault", "unsupported")


class GateSubject(Subject):
    name = "gate"
    fine = frozenset({0, 1, 2, 3})
    rivals = RunSubject.rivals

    make_template = RunSubject.make_template
    begin = RunSubject.begin

    def worker(self, name: str, *options: str) -> Path:
        """A script that stays where it is, so that a gate can go on with it."""
        path = self.folder / name
        if not path.exists():
            line = shlex.join([str(self.programs.worker), *options])
            path.write_text(f'#!/bin/sh\nexec {line} "$@"\n')
            path.chmod(0o755)
        return path

    def sides(self) -> tuple[object, ...]:
        slower = ("--slower", "4") if self.programs.scripted and not self.quick else ()
        return (
            *("--baseline-worker", self.programs.worker),
            *("--candidate-worker", self.worker("candidate", *slower)),
        )

    def command(self, place: Place) -> list[str]:
        if self.quick:
            options, profile = ("--aa",), place.profile("constant", "process_noise")
        else:
            options, profile = (), place.profile(*VARIANTS)
        if not self.programs.scripted:
            options = ("--aa", "--budget", "10s")
        return place.on_device(
            *("gate", "--profile", profile, "--seed", 5, "--no-wait", *self.sides(), *options)
        )

    def judge(self, place: Place, now: Stored, done: Done, outcome: Outcome) -> None:
        gate = count_lost(done, now, outcome).gate
        outcome.find_all("wrong", self._incomplete(now.gates.get(gate)))
        for known, one in now.gates.items():
            for case, (_, pairs) in one.verdicts.items():
                if one.pairs[case] < pairs:
                    outcome.find("wrong", f"the verdict on {case} of {known} lacks its pairs")

    def _incomplete(self, gate: Gate | None) -> list[str]:
        """What a gate that claims its end must have and has not."""
        if gate is None or gate.status != "finished":
            return []
        expected = max(
            (set(one.verdicts) for one in self.whole.gates.values()), key=len, default=set()
        )
        missing = sorted(expected - set(gate.verdicts))
        return [f"a finished gate has no verdict on {', '.join(missing)}"] if missing else []

    def whole_again(self, place: Place, now: Stored) -> list[str]:
        if not now.gates:
            return ["there is no gate"]
        newest = list(now.gates)[-1]
        gate = now.gates[newest]
        if gate.status != "finished":
            return [f"gate {newest} is {gate.status}"]
        return self._incomplete(gate) + self._changed(gate)

    def _changed(self, gate: Gate) -> list[str]:
        """Scripted times are the same in every gate of a seed, and so are the verdicts."""
        if not self.programs.scripted:
            return []
        expected = next((one.verdicts for one in self.whole.gates.values()), {})
        return [
            f"the verdict on {case} is {gate.verdicts.get(case)} in place of {verdict}"
            for case, verdict in expected.items()
            if gate.verdicts.get(case, ("",))[0] != verdict[0]
        ]

    def again(self, place: Place, now: Stored) -> list[str]:
        """Resumes what was killed, and else starts another."""
        resumable = [name for name, gate in now.gates.items() if gate.status != "finished"]
        if not resumable:
            return super().again(place, now)
        done = place.ask("gate", "--resume", resumable[-1], "--no-wait", *self.sides())
        if done.code != self.code and self.programs.scripted:
            return [f"gate --resume ended with {done.code}: {done.last_words()}"]
        return self.whole_again(place, stored.read(place.results))
