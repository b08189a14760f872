"""What the page and the figures of a comparison both say of it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from reports import plot
from reports.model_comparison import ComparedCase, ComparedSuite, Comparison

ROOF_MARGIN = 1.05  # how much faster than its roof a case may be before the roof or the time is wrong
_LONGEST_NAME = 28


@dataclass(frozen=True)
class RoofsAlone:
    """What the two rooflines alone predict for a suite: the geometric mean over those of its `cases` for which they
    predict anything."""

    ratio: float
    cases: int


def sides(comparison: Comparison) -> tuple[str, str]:
    """Short names of A and B, or just these letters where the names do not tell them apart."""
    a, b = (plot.shown(side.model, _LONGEST_NAME).strip() for side in (comparison.a, comparison.b))
    return (a, b) if a and b and a != b else ("A", "B")


def by_suite(comparison: Comparison) -> dict[str, list[ComparedCase]]:
    """Cases with a ratio."""
    groups: dict[str, list[ComparedCase]] = {}
    for case in comparison.cases:
        if case.ratio is not None:
            groups.setdefault(case.suite, []).append(case)
    return groups


def roofs_alone(cases: Iterable[ComparedCase]) -> RoofsAlone | None:
    """Of the cases that a suite's mean is over: none that measures a roof, and none that was disturbed."""
    steady = (case for case in cases if not (case.measures_roof or case.a.disturbed or case.b.disturbed))
    logs = [math.log(case.roofs_ratio) for case in steady if case.ratio and case.roofs_ratio]
    return RoofsAlone(math.exp(sum(logs) / len(logs)), len(logs)) if logs else None


def mean(comparison: Comparison, suite: str) -> ComparedSuite | None:
    return next((one for one in comparison.suites if one.suite == suite), None)


def farther(case: ComparedCase) -> str:
    """The side that reaches less of its own roof."""
    return "B" if (case.rest or 1) > 1 else "A"
