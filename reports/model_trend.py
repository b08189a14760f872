"""The nights of one device as plain rows: what changed, since when, and the series of the nights that are shown.

Times are in ns; ratios are after over before, so that above 1 is slower.
"""

from __future__ import annotations

import datetime
from typing import Annotated, Literal

from msgspec import Meta, field

from reports.model import Amount, Count, Number, Positive, Row

Kind = Literal["regression", "improvement", "environment"]


class NightChanges(Row):
    """What else changed between two nights. Commits are full hashes, empty where unknown."""

    environment: tuple[str, ...]
    before_commit: str = ""
    after_commit: str = ""
    before_dirty: bool = False
    after_dirty: bool = False


class Change(Row):
    """A change of a case's level. `night` is the first of the new level, which may as well be any from `earliest` to
    `latest`. `before` and `after` are medians of both levels, in `unit`: ns, or of the `metric` that was counted. A
    count has no `ratio`. `fails`: new and for the worse, as `ridgeline trend --fail-on-new` has it. `confirm` is the
    command that tests whether the code did it, empty when none can: then `cannot_confirm` says why."""

    case: str
    kind: Kind
    night: datetime.date
    earliest: datetime.date
    latest: datetime.date
    before: Amount
    after: Amount
    unit: str
    confirmed: bool
    new: bool
    fails: bool
    changes: NightChanges
    metric: str = ""
    other_metrics: Count = 0
    ratio: Positive = None
    ratio_low: Positive = None
    ratio_high: Positive = None
    confirm: str = ""
    cannot_confirm: str = ""


class FleetEvent(Row):
    """Changes of many series on neighbouring nights. `ratio` is their median."""

    kind: Kind
    night: datetime.date
    words: str
    ratio: Positive
    new: bool
    fails: bool
    changes: NightChanges
    members: tuple[Change, ...]
    confirm: str = ""
    cannot_confirm: str = ""


class Drift(Row):
    """No night shows it, but the nights since `night` add up to it."""

    case: str
    night: datetime.date = field(name="from")
    ratio: Positive
    ratio_low: Positive
    ratio_high: Positive
    new: bool
    fails: bool
    changes: NightChanges


class Stop(Row):
    """A case with no time since `night`; `outcome` is how it ended since then, empty when it was not run."""

    case: str
    night: datetime.date = field(name="last")
    words: str
    new: bool
    fails: bool
    outcome: str = ""


class EnvironmentStart(Row):
    """The first night of another comparable environment: series of two of these are never joined. `ratio` is the median
    over the `cases` with times on both sides."""

    night: datetime.date
    words: str
    changed: tuple[str, ...]
    cases: Count
    ratio: Positive = None


class NightSeries(Row):
    """Values of a case on the nights that are shown, in one comparable environment: times in ns, or where `metric` is
    not empty, counts. `nights` are places in Trend.dates, ascending."""

    case: str
    nights: tuple[Count, ...]
    environment: str = ""
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
        if len(self.values) != len(self.nights):
            raise ValueError(f"{key}: expected {len(self.nights)}, one per night, got {len(self.values)}")
        if not _ascending(self.nights):
            raise ValueError("nights: expected each once, ascending")


class Trend(Row):
    """`nights` are all that are stored, from `first` to `last`; `dates` the last of them, which are shown. `older`
    counts confirmed changes before these. `least_step` is the smallest relative change that counts."""

    model: str
    device: str
    device_uuid: str
    profile: str
    nights: Count
    first: datetime.date
    last: datetime.date
    cases: Count
    too_short: Count
    least_step: Amount
    new_nights: Count
    left_out: dict[str, Count]
    other_runs: dict[str, Count]
    environments: tuple[EnvironmentStart, ...]
    fleet_events: tuple[FleetEvent, ...]
    changes: tuple[Change, ...]
    drifts: tuple[Drift, ...]
    stopped: tuple[Stop, ...]
    older: Count
    dates: Annotated[tuple[datetime.date, ...], Meta(min_length=1)]
    series: tuple[NightSeries, ...]

    def __post_init__(self) -> None:
        if not _ascending(self.dates):
            raise ValueError("dates: expected each once, ascending")
        for at, one in enumerate(self.series):
            if one.nights and one.nights[-1] >= len(self.dates):
                raise ValueError(f"series[{at}].nights: expected places below {len(self.dates)}")


def _ascending(values: tuple[int, ...] | tuple[datetime.date, ...]) -> bool:
    return list(values) == sorted(set(values))
