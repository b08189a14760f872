"""A gate as plain rows: what was compared with what, and the verdict on every case.

Ratios are candidate over baseline: above 1 is slower. Times are in ns.
"""

from __future__ import annotations

import math
from typing import Literal

from reports.model import Amount, Count, Device, Number, Positive, Row, Seed

VERDICTS = (  # what matters first
    "regression",
    "wrong_result",
    "crashed",
    "timeout",
    "missing",
    "invalid_environment",
    "undecided",
    "no_baseline",
    "improvement",
    "new",
    "pass",
    "skipped",
)
FAILURES = ("wrong_result", "crashed", "timeout", "missing")


class Pair(Row):
    """One round of one case: medians of the two processes. `dropped` says why it does not count; empty when it does."""

    round: Count
    baseline_first: bool
    baseline_ns: Positive
    candidate_ns: Positive
    dropped: str = ""

    @property
    def log_ratio(self) -> float:
        return math.log(self.candidate_ns / self.baseline_ns)


class Verdict(Row):
    """One case. `ratio` is None where nothing was judged; an end of its interval is None where it has no bound. Where
    counts were compared, `metric` decided: it has values, and there are no times and no interval."""

    case: str
    verdict: Literal[*VERDICTS]
    delta: Amount
    pairs: Count
    dropped: Count
    expected: bool
    rounds: tuple[Pair, ...]
    baseline_case: str = ""
    reason: str = ""
    baseline_ns: Positive = None
    candidate_ns: Positive = None
    ratio: Positive = None
    ratio_low: Positive = None
    ratio_high: Positive = None
    noise: Amount = None
    smallest_effect: Amount = None
    p_value: Amount = None
    level: Amount = None
    expectation: str = ""
    metric: str = ""
    baseline_value: Number = None
    candidate_value: Number = None

    def __post_init__(self) -> None:
        ends = [end for end in (self.ratio_low, self.ratio, self.ratio_high) if end is not None]
        if ends and (self.ratio is None or ends != sorted(ends)):
            raise ValueError("ratio: expected a number within its interval")

    @property
    def words(self) -> str:
        return f"{self.verdict}, expected" if self.expected else self.verdict


class Gate(Row):
    id: str
    mode: Literal["workers", "refs", "variants", "runs"]
    status: str
    baseline: str
    candidate: str
    baseline_run: str
    candidate_run: str
    command_line: str
    seed: Seed
    alpha: Positive
    cases: Count
    aa: bool
    started: str
    device: Device
    verdicts: tuple[Verdict, ...]
    rules_text: str = ""
    finished: str = ""

    @property
    def counted(self) -> str:
        """What a verdict stands on."""
        return "processes" if self.mode == "runs" else "pairs"

    def by_importance(self) -> list[Verdict]:
        """What matters first: in the order of VERDICTS, what the rules expect after what they do not, then the largest
        change, then by name."""

        def key(verdict: Verdict) -> tuple[int, bool, float, str]:
            change = abs(math.log(verdict.ratio)) if verdict.ratio else -1.0
            return VERDICTS.index(verdict.verdict), verdict.expected, -change, verdict.case

        return sorted(self.verdicts, key=key)
