"""What happened around all cases of a trend: nights that its figures mark with a letter."""

from __future__ import annotations

import datetime
import string
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from reports import trend_words, units
from reports.model_trend import Trend

MOST = 8


@dataclass(frozen=True)
class Around:
    """`words` are all that happened between the night before `night` and it, `brief` what a figure has room for. MOST
    of all have a letter: nights that start another comparable environment, or that many cases share, come before those
    of facts alone."""

    letter: str
    night: datetime.date
    brief: str
    words: str


def around(trend: Trend) -> list[Around]:
    """In order of time."""
    heads: dict[datetime.date, tuple[int, list[tuple[str, str]]]] = {}
    facts: dict[datetime.date, list[str]] = {}

    def add(night: datetime.date, importance: int, changed: Sequence[str], *head: tuple[str, str]) -> None:
        most, already = heads.get(night, (importance, []))
        heads[night] = (min(most, importance), [*already, *head])
        told = facts.setdefault(night, [])
        told.extend(one for one in dict.fromkeys(changed) if one not in told)

    for start in trend.environments:
        add(start.night, 0, start.changed, ("another environment", start.words))
    for event in trend.fleet_events:
        brief = f"{units.cases(len(event.members))} changed, {trend_words.percent(event.ratio)} in the middle"
        add(event.night, 1, event.changes.environment, (brief, event.words))
    for change in trend.changes:
        if change.confirmed and change.earliest == change.latest and change.changes.environment:
            add(change.night, 2, change.changes.environment)
    first = sorted(heads, key=lambda night: (heads[night][0], -night.toordinal()))[:MOST]
    letters = dict(zip(sorted(first), string.ascii_uppercase, strict=False))
    return [
        Around(
            letters.get(night, ""),
            night,
            "; ".join([*(brief for brief, _ in heads[night][1]), *_few(facts[night])]),
            "; ".join([*(words for _, words in heads[night][1]), *facts[night]]),
        )
        for night in sorted(heads)
    ]


def _few(facts: list[str]) -> list[str]:
    return facts if len(facts) <= 3 else [*facts[:2], f"{len(facts) - 2} more facts"]


def lettered(trend: Trend) -> list[Around]:
    return [one for one in around(trend) if one.letter and one.night >= trend.dates[0]]


def boundary(dates: Sequence[datetime.date], night: datetime.date) -> float:
    """The day, as an ordinal, half way between a night and the one before it."""
    return (night_before(dates, night) + night.toordinal()) / 2


def night_before(dates: Sequence[datetime.date], night: datetime.date) -> int:
    place = bisect_left(dates, night)
    return dates[place - 1].toordinal() if place > 0 else night.toordinal() - 1
