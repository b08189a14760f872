"""The nights of one device as plain rows: what changed, since when, and the series of the nights that are shown.

Times are in ns; ratios are after over before, so that above 1 is slower.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass

KINDS = ("regression", "improvement", "environment")  # of changes and of fleet events


@dataclass(frozen=True)
class NightChanges:
    """What else changed between two nights. Commits are full hashes, empty where unknown."""

    environment: tuple[str, ...]
    before_run: str
    after_run: str
    before_commit: str
    after_commit: str
    before_dirty: bool
    after_dirty: bool


@dataclass(frozen=True)
class Change:
    """A change of a case's level. `night` is the first of the new level, which may as well be any from `earliest` to
    `latest`. `before` and `after` are medians of both levels, in `unit`: ns, or of the `metric` that was counted. A
    count has no `ratio`. `fails`: new and for the worse, as `ridgeline trend --fail-on-new` has it. `confirm` is the
    command that tests whether the code did it, empty when none can."""

    case: str
    kind: str
    night: datetime.date
    earliest: datetime.date
    latest: datetime.date
    before: float
    after: float
    unit: str
    metric: str
    other_metrics: int
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    confirmed: bool
    new: bool
    fails: bool
    changes: NightChanges
    confirm: str


@dataclass(frozen=True)
class FleetEvent:
    """Changes of many series on neighbouring nights. `ratio` is their median."""

    kind: str
    night: datetime.date
    slower: int
    faster: int
    ratio: float
    new: bool
    fails: bool
    changes: NightChanges
    members: tuple[Change, ...]


@dataclass(frozen=True)
class Drift:
    """No night shows it, but the nights since `start` add up to it."""

    case: str
    start: datetime.date
    ratio: float
    ratio_low: float
    ratio_high: float
    new: bool
    fails: bool
    changes: NightChanges


@dataclass(frozen=True)
class Stop:
    """A case with no time since the night `last`; `outcome` is how it ended since then, empty when it was not run."""

    case: str
    last: datetime.date
    outcome: str
    new: bool


@dataclass(frozen=True)
class EnvironmentStart:
    """The first night of another comparable environment: series of two of these are never joined. `ratio` is the median
    over the `cases` with times on both sides."""

    night: datetime.date
    changed: tuple[str, ...]
    cases: int
    ratio: float | None


@dataclass(frozen=True)
class NightSeries:
    """Values of a case on the nights that are shown, in one comparable environment: times in ns, or where `metric` is
    not empty, counts. `nights` are places in Trend.dates, ascending."""

    case: str
    environment: str
    metric: str
    unit: str
    nights: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True)
class Trend:
    """`nights` are all that are stored, from `first` to `last`; `dates` the last of them, which are shown. `older`
    counts confirmed changes before these. `least_step` is the smallest relative change that counts."""

    model: str
    device: str
    device_uuid: str
    profile: str
    nights: int
    first: datetime.date
    last: datetime.date
    cases: int
    too_short: int
    least_step: float
    new_nights: int
    left_out: dict[str, int]
    other_runs: dict[str, int]
    environments: tuple[EnvironmentStart, ...]
    fleet_events: tuple[FleetEvent, ...]
    changes: tuple[Change, ...]
    drifts: tuple[Drift, ...]
    stopped: tuple[Stop, ...]
    older: int
    dates: tuple[datetime.date, ...]
    series: tuple[NightSeries, ...]
