"""What happened around all cases of a trend: nights that its figures mark with a letter."""

from __future__ import annotations

import datetime
import string
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from reports.model_trend import Trend

MOST = 8


@dataclass(frozen=True)
class Around:
    """`words` are all that happened between the night before `night` and it. MOST of all have a
    letter: nights that start another comparable environment, or that many cases share, come before
    those of facts alone."""

    letter: str
    night: datetime.date
    words: str


def around(trend: Trend) -> list[Around]:
    """In order of time."""
    happened = [(start.night, 0, (start.words, *start.changed)) for start in trend.environments]
    for one in trend.findings:
        facts = one.changes.environment
        if one.members:
            happened.append((one.night, 1, (one.words.said, *facts)))
        elif facts and one.is_step and not one.mode and one.earliest == one.latest:
            happened.append((one.night, 2, facts))
    ranks: dict[datetime.date, int] = {}
    words: dict[datetime.date, list[str]] = {}
    for night, rank, told in sorted(happened, key=lambda one: one[:2]):
        ranks.setdefault(night, rank)
        words.setdefault(night, []).extend(told)
    first = sorted(ranks, key=lambda night: (ranks[night], -night.toordinal()))[:MOST]
    letters = dict(zip(sorted(first), string.ascii_uppercase, strict=False))
    return [
        Around(letters.get(night, ""), night, "; ".join(dict.fromkeys(words[night])))
        for night in words
    ]


def lettered(trend: Trend) -> list[Around]:
    return [one for one in around(trend) if one.letter and one.night >= trend.dates[0]]


def boundary(dates: Sequence[datetime.date], night: datetime.date) -> float:
    """The day, as an ordinal, half way between a night and the one before it."""
    return (night_before(dates, night) + night.toordinal()) / 2


def night_before(dates: Sequence[datetime.date], night: datetime.date) -> int:
    place = bisect_left(dates, night)
    return dates[place - 1].toordinal() if place > 0 else night.toordinal() - 1
