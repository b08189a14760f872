"""What a command has said to be done, and whether the store has it.

The lines are printed, and flushed, once the transaction of what they tell has ended."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from ci.studies.faulting.stored import Gate, Run, Stored

_QUOTED = r"^(?:   \| )?"  # a night shows what its programs say
_RUN = re.compile(_QUOTED + r"run (\S+): \d+ cases? ", re.MULTILINE)
_GATE = re.compile(_QUOTED + r"gate (\S+?)[:,] ", re.MULTILINE)
_LINE = re.compile(_QUOTED + r"\[\d+/\d+\] (\S+?)(?: \(process \d+/\d+\))?: (.+)\n", re.MULTILINE)
_PAIRS = re.compile(r", (\d+) pairs?\b")
_STORED = re.compile(r"^stored as (\S+) in ", re.MULTILINE)


@dataclass
class Reported:
    run: str = ""  # ids; empty where none was told
    gate: str = ""
    measured: Counter = field(default_factory=Counter)  # by case
    decided: dict[str, int] = field(default_factory=dict)  # pairs by case
    finished: bool = False  # the run was said to be stored as a whole

    @property
    def count(self) -> int:
        return self.measured.total() + len(self.decided) + sum(self.decided.values())


def read(output: str) -> Reported:
    """Of whole lines; one that was cut in the middle says nothing."""
    output = output[: output.rfind("\n") + 1]
    run, gate = _RUN.search(output), _GATE.search(output)
    reported = Reported(run[1] if run else "", gate[1] if gate else "")
    reported.finished = bool(_STORED.search(output))
    for case, words in _LINE.findall(output):
        if reported.gate:
            pairs = _PAIRS.search(words)
            reported.decided[case] = int(pairs[1]) if pairs else 0
        else:
            reported.measured[case] += 1
    return reported


def lost(reported: Reported, stored: Stored) -> list[str]:
    """Each that was reported and is not stored, in words."""
    if reported.gate:
        gate = stored.gates.get(reported.gate, Gate("missing"))
        words = []
        for case, pairs in reported.decided.items():
            if case not in gate.verdicts:
                words.append(f"the verdict of {case}")
            missing = pairs - gate.pairs[case]
            words += [f"a pair of {case}"] * missing
        return words
    run = stored.runs.get(reported.run, Run("missing"))
    words = [
        f"a measurement of {case}"
        for case, count in reported.measured.items()
        for _ in range(count - run.cases[case])
    ]
    if reported.finished and run.status == "running":
        words.append("the end of the run")
    return words
