"""Pairs of processes that were measured without a change, for gates that are simulated."""

import math
from dataclasses import dataclass

from ci.studies.calibration.gates import samples_by_round
from ci.studies.calibration.journal import Journal

LEAST_PAIRS = 60  # that a simulated case may need
Processes = list[list[float]]  # the samples of each, ns


@dataclass(frozen=True)
class Pairs:
    """Of one case, in the order in which they were measured."""

    device_kind: str
    case: str
    baseline: Processes
    candidate: Processes
    left_out: int = 0  # pairs with too few samples

    def cut(self, samples: int) -> "Pairs":
        """With so many samples of each process, the first ones. A process with fewer leaves its
        pair out: that may be a slow one, so the number of these should be small."""
        kept = [
            (old[:samples], new[:samples])
            for old, new in zip(self.baseline, self.candidate, strict=True)
            if min(len(old), len(new)) >= samples
        ]
        return Pairs(
            self.device_kind,
            self.case,
            [old for old, _ in kept],
            [new for _, new in kept],
            len(self.baseline) - len(kept),
        )

    def text(self) -> str:
        """As ridgeline-gate-study reads it (ci/studies/simulated_gates/noise.hpp)."""
        head = f"# {self.device_kind} {self.case}\n{len(self.baseline)} {len(self.baseline[0])}\n"
        lines = (
            " ".join(f"{math.log(ns):.9f}" for ns in process)
            for side in (self.baseline, self.candidate)
            for process in side
        )
        return head + "\n".join(lines) + "\n"


def of_journal(journal: Journal) -> list[Pairs]:
    """All pairs of gates with the same code on both sides, while nothing else ran."""
    settings = journal.study["settings"] if journal.study else {}
    sides: dict[str, tuple[Processes, Processes]] = {}
    for gate in journal.gates:
        if gate["part"] not in ("quiet", "tails") or gate["extra"] or gate.get("plant"):
            continue
        for case in gate["cases"]:
            baseline, candidate = sides.setdefault(case["case"], ([], []))
            if len(case["baseline"]) == len(case["candidate"]):
                baseline += case["baseline"]
                candidate += case["candidate"]
    kind = settings.get("device_kind", "cpu")
    return [Pairs(kind, case, *both) for case, both in sorted(sides.items())]


def of_runs(device_kind: str, measurements: dict[str, list[dict]]) -> list[Pairs]:
    """Of both runs of a gate, by side."""
    names = sorted({m["case"] for all_of_side in measurements.values() for m in all_of_side})
    sides = {name: samples_by_round(name, measurements) for name in names}
    return [Pairs(device_kind, name, by["baseline"], by["candidate"]) for name, by in sides.items()]
