"""A gate as plain rows: what was compared with what, the verdict on every case, and the words for
them.

Ratios are candidate over baseline: above 1 is slower.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, field

from reports.model import Device
from reports.model_row import Amount, Count, Number, Positive, Row, Seed


class Pair(Row):
    """One round of one case. `first` was sampled first; `log_ratio` is of candidate over baseline.
    `dropped` says why it does not count; empty when it does."""

    round: Count
    first: Literal["baseline", "candidate"]
    log_ratio: Number
    dropped: str = ""


class Words(Row):
    """A verdict as `ridgeline gate` prints it; empty where something is not known."""

    verdict: str
    against: str = ""
    change: str = ""
    interval: str = ""
    delta: str = ""
    baseline: str = ""
    candidate: str = ""
    ratio: str = ""
    pairs: str = ""
    noise: str = ""
    why: str = ""


class Expectation(Row):
    """What became of a regression that the rules expect."""

    state: Literal["met", "over", "exceeded", "unmet", "open", "untested"]


class Verdict(Row):
    """One case. `ratio` is None where nothing was judged; an end of its interval is None where it
    has no bound. Where counts were compared, `metric` decided, and there is no interval."""

    case: str
    verdict: Literal[
        "regression",
        "tail",
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
        "same_code",
        "not_measured",
        "skipped",
    ]
    fails: bool
    delta: Amount
    pairs: Count
    words: Words
    rounds: tuple[Pair, ...] = ()
    reason: str = ""
    metric: str = ""
    expectation: Expectation = None
    ratio: Positive = None
    ratio_low: Positive = None
    ratio_high: Positive = None

    def __post_init__(self) -> None:
        ends = [end for end in (self.ratio_low, self.ratio, self.ratio_high) if end is not None]
        if ends and (self.ratio is None or ends != sorted(ends)):
            raise ValueError("ratio: expected a number within its interval")


class GateFacts(Row):
    id: str
    mode: Literal["workers", "refs", "variants", "runs"]
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
    rules_text: str = ""
    finished: str = ""


class Gate(Row):
    """`verdicts` stand in the order of importance. The last of the `conclusions` says what the gate
    comes to; `counted` is what a verdict stands on."""

    facts: GateFacts = field(name="gate")
    device: Device
    fails: bool
    doubtful: bool
    conclusions: Annotated[tuple[Annotated[str, Meta(min_length=1)], ...], Meta(min_length=1)]
    counts_text: str
    gives: Literal["times", "counts"]
    counted: Literal["pairs", "processes"]
    verdicts: tuple[Verdict, ...]
