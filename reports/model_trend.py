"""The nights of one device as plain rows: what changed, since when, and the series of the nights
that are shown.

Times are in ns; ratios are after over before, so that above 1 is slower.
"""

from __future__ import annotations

import datetime
from typing import Annotated, Literal

from msgspec import Meta, field

from reports.model_row import Amount, Count, Number, Positive, Row
from reports.stretches import Stretches, are_ascending, count_of, places_of


class NightChanges(Row):
    """What else changed than the code."""

    environment: tuple[str, ...] = ()


class Words(Row):
    """The cells of a finding's row, empty where there is nothing to say; `said` is what happened,
    in all."""

    kind: str
    said: str
    change: str = ""
    interval: str = ""
    levels: str = ""
    where: str = ""
    commits: str = ""
    cause: str = ""


class Finding(Row):
    """What is told of a case, or of the `members` that changed together. `night` is the first of
    the new level or of the drift, of a stop the last with a time; a drift was seen `until` that
    night, and the new level may as well begin on any from `earliest` to `latest`. Its levels are
    `before` and `after`: ns, or of the `metric` that was counted. A `mode` goes to and fro between
    levels that were told before. `confirm` is the command that tests whether the code did it; where
    there is none, `cannot_confirm` says why."""

    kind: Literal["regression", "improvement", "environment", "drift", "stopped"]
    night: datetime.date
    fails: bool
    worse: bool
    mode: bool
    words: Words
    case: str = ""
    metric: str = ""
    ratio: Positive = None
    earliest: datetime.date = None
    latest: datetime.date = None
    until: datetime.date = None
    before: Amount = None
    after: Amount = None
    changes: NightChanges = NightChanges()
    confirm: str = ""
    cannot_confirm: str = ""
    members: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        if None in (self.earliest, self.latest, self.before, self.after) and self.is_step:
            raise ValueError("expected `earliest`, `latest`, `before` and `after`")
        if self.kind == "drift" and None in (self.ratio, self.until):
            raise ValueError("expected `ratio` and `until`")

    @property
    def is_step(self) -> bool:
        """Whether it is a change of one case's level."""
        return not self.members and self.kind not in ("drift", "stopped")

    @property
    def summary(self) -> str:
        return f"{self.words.kind}, {self.night}: {self.words.said}"


class EnvironmentStart(Row):
    """The first night of another comparable environment: series of two of these are never
    joined."""

    night: datetime.date
    words: str
    changed: tuple[str, ...]


class NightSeries(Row):
    """Values of a case on the nights that are shown, in one comparable environment: times in ns, or
    where `metric` is not empty, counts. Nights are places in Trend.dates: `stretches` has the first
    and the last of each stretch of them."""

    case: str
    stretches: Stretches
    metric: str = ""
    unit: str = "ns"
    median_ns: tuple[Positive, ...] = None
    counts: tuple[Number, ...] = field(name="values", default=None)

    @property
    def values(self) -> tuple[float, ...]:
        return self.counts if self.metric else self.median_ns

    def __post_init__(self) -> None:
        key = "values" if self.metric else "median_ns"
        if self.values is None:
            raise ValueError(f"expected `{key}`")
        if not are_ascending(self.stretches):
            raise ValueError("stretches: expected each night once, ascending")
        if len(self.values) != (nights := count_of(self.stretches)):
            raise ValueError(f"{key}: expected {nights}, one per night, got {len(self.values)}")

    @property
    def nights(self) -> list[int]:
        return places_of(self.stretches)


class Trend(Row):
    """`nights` are all that are stored, from `first` to `last`; `dates` the last of them, which are
    shown. `findings` stand in the order of importance; `conclusion` counts them, and `limits` say
    what is not in them. `least_step` is the smallest relative change that counts."""

    model: str
    device: str
    device_uuid: str
    profile: str
    nights: Count
    first: datetime.date
    last: datetime.date
    cases: Count
    least_step: Amount
    new_nights: Count
    command: str
    fails: bool
    doubtful: bool
    conclusion: Annotated[str, Meta(min_length=1)]
    limits: tuple[str, ...]
    environments: tuple[EnvironmentStart, ...]
    findings: tuple[Finding, ...]
    dates: Annotated[tuple[datetime.date, ...], Meta(min_length=1)]
    series: tuple[NightSeries, ...]

    def __post_init__(self) -> None:
        if not _ascending(self.dates):
            raise ValueError("dates: expected each once, ascending")
        for at, one in enumerate(self.series):
            if any(last >= len(self.dates) for _, last in one.stretches[-1:]):
                raise ValueError(f"series[{at}].stretches: expected places below {len(self.dates)}")

    @property
    def steps(self) -> list[Finding]:
        """The changes of one case's level, those of many among them."""
        return [step for one in self.findings for step in (one, *one.members) if step.is_step]


def _ascending(values: tuple[datetime.date, ...]) -> bool:
    return list(values) == sorted(set(values))
