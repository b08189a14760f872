"""A trend's part of the page: whether anything changed and since when, and the tables of it."""

from __future__ import annotations

import shlex
from collections import Counter

from msgspec import structs

from reports import trend_around, trend_words, units
from reports.figures import nights
from reports.model_trend import Change, Drift, FleetEvent, NightChanges, Stop, Trend
from reports.section import Section
from reports.trend_words import Finding

OPEN_ROWS = 40  # of a table that a page shows unfolded
OPEN_FACTS = 6
MOST_SENTENCES = 5


def section(one: Section) -> dict[str, object]:
    trend = one.of
    told = sorted(trend.changes, key=trend_words.importance)
    events = sorted(trend.fleet_events, key=trend_words.importance)
    return vars(one) | {
        "colour": colour(trend),
        "conclusion": conclusion(trend),
        "sentences": [*wrong(trend), *changed(trend)],
        "limits": limits(trend),
        "left_out": nights.left_out(trend),
        "confirmed": [line(trend, change) for change in told if change.confirmed],
        "unconfirmed": [line(trend, change) for change in told if not change.confirmed],
        "events": [event_line(trend, event) for event in events],
        "around": trend_around.around(trend),
        "drifts": [drift_line(one) for one in sorted(trend.drifts, key=trend_words.importance)],
        "stops": sorted(trend.stopped, key=lambda one: not one.fails),
        "command": command(trend),
        "open_rows": OPEN_ROWS,
        "open_facts": OPEN_FACTS,
    }


def failing(trend: Trend) -> list[Finding]:
    """What is new and for the worse, most important first."""
    return [one for one in trend_words.findings(trend) if one.fails]


def _since(trend: Trend) -> str:
    return f"in the last {len(trend.dates)} nights" if len(trend.dates) > 1 else "on the last night"


def conclusion(trend: Trend) -> str:
    bad = failing(trend)
    if bad:
        stopped = sum(1 for one in bad if isinstance(one, Stop))
        slower = sum(sum(member.fails for member in getattr(one, "members", [one])) for one in bad) - stopped
        since = sorted({str(one.night) for one in bad if not isinstance(one, Stop)})
        later = " or later" if len(since) > 1 else ""
        parts = [f"{units.cases(slower)} newly for the worse, since {since[0]}{later}"] if slower else []
        parts += [f"{units.cases(stopped)} newly without a time"] if stopped else []
        return f"{'; '.join(parts)}."
    found = [one for one in trend_words.findings(trend) if trend_words.rank(one) != trend_words.UNCONFIRMED]
    if found:
        last = max(one.night for one in found)
        return f"Nothing is newly for the worse; what changed {_since(trend)} last did so on {last}."
    if trend.too_short and trend.too_short >= trend.cases:
        return "Nothing can be confirmed yet: no case has 60 nights in its environment."
    if trend.environments:
        return f"No case changed {_since(trend)}, but series start anew with another comparable environment."
    return f"Nothing changed {_since(trend)}."


def colour(trend: Trend) -> str:
    """The class of the box around the conclusion: wrong is what fails a night."""
    if failing(trend):
        return "wrong"
    doubtful = (trend_words.REGRESSION, trend_words.DRIFT, trend_words.STOP, trend_words.ENVIRONMENT)
    ranks = {trend_words.rank(one) for one in trend_words.findings(trend)}
    nothing_yet = 0 < trend.cases <= trend.too_short
    return "doubt" if ranks.intersection(doubtful) or trend.environments or nothing_yet else ""


def wrong(trend: Trend) -> list[str]:
    """What fails a night, most important first, in at most MOST_SENTENCES short sentences; empty when nothing does."""
    return _bounded([f"new: {sentence(one)}" for one in failing(trend)])


def changed(trend: Trend) -> list[str]:
    """What else changed in the nights that are shown, most important first, a kind a sentence."""
    kinds: dict[int, list[Finding]] = {}
    for one in trend_words.findings(trend):
        if not one.fails:
            kinds.setdefault(trend_words.rank(one), []).append(one)
    told = [_kind_of(rank, some) for rank, some in kinds.items()]
    for start in trend.environments[-1:]:
        count = f", the last of {len(trend.environments)}" if len(trend.environments) > 1 else ""
        told.append(f"{start.words}, since {start.night}{count}")
    return _bounded(told)


def known(trend: Trend) -> str:
    """What is for the worse in the nights that are shown and not new: "2 known regressions, 1 case stopped"; empty when
    there is nothing."""
    ranks = Counter(trend_words.rank(one) for one in trend_words.findings(trend))
    worse = (trend_words.REGRESSION, trend_words.DRIFT, trend_words.STOP)
    return ", ".join(f"{ranks[rank]} {_NAMES[rank][ranks[rank] != 1]}" for rank in worse if ranks[rank])


_NAMES = {
    trend_words.REGRESSION: ("known regression", "known regressions"),
    trend_words.DRIFT: ("known drift", "known drifts"),
    trend_words.STOP: ("case stopped", "cases stopped"),
    trend_words.IMPROVEMENT: ("improvement", "improvements"),
    trend_words.ENVIRONMENT: ("change with the environment", "changes with the environment"),
    trend_words.UNCONFIRMED: ("unconfirmed change", "unconfirmed changes"),
}


def _kind_of(rank: int, some: list[Finding]) -> str:
    """ "3 known regressions, the largest: copy/wide/f32/n=64 +6.0% since 2026-07-14"."""
    one, many = _NAMES[rank]
    if len(some) == 1:
        return f"1 {one}: {sentence(some[0])}"
    first = "for one" if isinstance(some[0], Stop) else "the largest"
    return f"{len(some)} {many}, {first}: {sentence(some[0])}"


def sentence(one: Finding) -> str:
    """One finding with its case and since when."""
    if isinstance(one, Stop):
        return f"{one.case} has no time since {one.night}{f' ({one.outcome})' if one.outcome else ''}"
    if isinstance(one, Drift):
        return f"{one.case} drifts, {trend_words.percent(one.ratio)} since {one.night}"
    if isinstance(one, FleetEvent):
        return f"{one.words}, since {one.night}"
    much = trend_words.change(one) or trend_words.levels(one)
    return f"{one.case} {f'{one.metric} ' if one.metric else ''}{much} since {one.night}"


def _bounded(told: list[str]) -> list[str]:
    if len(told) <= MOST_SENTENCES:
        return told
    return [*told[: MOST_SENTENCES - 1], f"and {len(told) - MOST_SENTENCES + 1} more"]


def limits(trend: Trend) -> list[str]:
    """What these nights do not say, and what is not in them."""
    told = []
    if trend.too_short:
        has, of = ("has", "it") if trend.too_short == 1 else ("have", "them")
        told.append(
            f"{units.cases(trend.too_short)} {has} fewer than 60 nights in this environment: "
            f"nothing of {of} can be confirmed yet"
        )
    if trend.left_out:
        total = sum(trend.left_out.values())
        kinds = ", ".join(f"{count} {outcome}" for outcome, count in trend.left_out.items())
        told.append(f"{total} measurement{'s' if total != 1 else ''} left out ({kinds})")
    for why, count in trend.other_runs.items():
        told.append(f"{count} run{'s' if count != 1 else ''} {why} left out")
    if trend.older:
        told.append(f"{trend.older} change{'s' if trend.older != 1 else ''} before these nights, told no more")
    return told


def command(trend: Trend) -> str:
    """What tells the same nights again."""
    words = ["ridgeline", "trend", "--device", trend.device, "--profile", trend.profile]
    return shlex.join([*words, "--new-nights", str(trend.new_nights)] if trend.new_nights != 1 else words)


def line(trend: Trend, one: Change) -> dict[str, object]:
    """A line of the table of changes: the change, and in words what is said of it, empty where it is not known."""
    return structs.asdict(one) | {
        "place": place(trend, one),
        "words": trend_words.kind(one),
        "colour": _colour(one.kind) if one.confirmed else "note",
        "counted": one.metric + (f" and {one.other_metrics} more" if one.other_metrics else ""),
        "size": trend_words.change(one),
        "interval": trend_words.interval(one),
        "levels": trend_words.levels(one),
        "facts": facts(one.changes),
    }


def place(trend: Trend, one: Change) -> str:
    """Where a change may as well have happened; empty for counts, which change on their night."""
    if one.metric:
        return ""
    if one.earliest == one.latest:
        return "between the night before and this one"
    before = next((date for date in reversed(trend.dates) if date < one.earliest), None)
    return f"between {before or one.earliest} and {one.latest}"


def _colour(kind: str) -> str:
    return {"regression": "bad", "improvement": "good"}.get(kind, "note")


def facts(changes: NightChanges) -> tuple[str, ...]:
    """What else changed, the commit last."""
    return (*changes.environment, *filter(None, [trend_words.commits(changes)]))


def event_line(trend: Trend, event: FleetEvent) -> dict[str, object]:
    """A fleet event with its facts, how many members are of each kind, and their lines, the largest first."""
    members = sorted(event.members, key=lambda one: (not one.fails, -trend_words.size(one)))
    kinds = Counter(trend_words.kind(one) for one in members)
    return structs.asdict(event) | {
        "colour": _colour(event.kind) if trend_words.rank(event) != trend_words.UNCONFIRMED else "note",
        "facts": facts(event.changes),
        "kinds": ", ".join(f"{count} {kind}" for kind, count in kinds.items()),
        "members": [line(trend, one) for one in members],
    }


def drift_line(one: Drift) -> dict[str, object]:
    return structs.asdict(one) | {
        "size": trend_words.percent(one.ratio),
        "interval": trend_words.interval(one),
        "colour": "bad" if one.ratio > 1 else "good",
        "facts": facts(one.changes),
    }
