"""A gate as plain rows: what was compared with what, and the verdict on every case.

Ratios are candidate over baseline: above 1 is slower. Times are in ns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from reports.model import Device

MODES = ("workers", "refs", "variants", "runs")
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


@dataclass(frozen=True)
class Pair:
    """One round of one case: medians of the two processes. `dropped` says why it does not count; empty when it does."""

    round: int
    baseline_first: bool
    baseline_ns: float
    candidate_ns: float
    dropped: str

    @property
    def log_ratio(self) -> float:
        return math.log(self.candidate_ns / self.baseline_ns)


@dataclass(frozen=True)
class Verdict:
    """One case. `ratio` is None where nothing was judged; an end of its interval is None where it has no bound. Where
    counts were compared, `metric` decided: it has values, and there are no times and no interval."""

    case: str
    baseline_case: str
    verdict: str
    reason: str
    delta: float
    baseline_ns: float | None
    candidate_ns: float | None
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    pairs: int
    dropped: int
    noise: float | None
    smallest_effect: float | None
    p_value: float | None
    level: float | None
    expected: bool
    expectation: str
    rounds: tuple[Pair, ...]
    metric: str = ""
    baseline_value: float | None = None
    candidate_value: float | None = None

    @property
    def words(self) -> str:
        return f"{self.verdict}, expected" if self.expected else self.verdict


@dataclass(frozen=True)
class Gate:
    id: str
    mode: str
    status: str
    baseline: str
    candidate: str
    baseline_run: str
    candidate_run: str
    command_line: str
    rules_text: str
    seed: int
    alpha: float
    cases: int
    aa: bool
    started: str
    finished: str
    device: Device
    verdicts: tuple[Verdict, ...]

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
