"""What a trend says, in words, and in the order in which it matters."""

from __future__ import annotations

import math

from reports import units
from reports.model_trend import Change, Drift, FleetEvent, NightChanges, Stop, Trend

Finding = Change | FleetEvent | Drift | Stop

FAILS, REGRESSION, DRIFT, STOP, IMPROVEMENT, ENVIRONMENT, UNCONFIRMED = range(7)


def rank(one: Finding) -> int:
    """Its place among what matters: smaller first."""
    if one.fails:
        return FAILS
    if isinstance(one, Stop):
        return STOP
    if isinstance(one, Drift):
        return DRIFT if one.ratio > 1 else IMPROVEMENT
    confirmed = one.confirmed if isinstance(one, Change) else any(member.confirmed for member in one.members)
    if not confirmed:
        return UNCONFIRMED
    return {"regression": REGRESSION, "improvement": IMPROVEMENT, "environment": ENVIRONMENT}[one.kind]


def size(one: Finding) -> float:
    """How large a change is, whichever its direction: a log of a ratio; infinite from 0 on."""
    if isinstance(one, Stop):
        return 0.0
    if isinstance(one, Change) and one.ratio is None:
        if min(one.before, one.after) <= 0:
            return 0.0 if one.before == one.after else math.inf
        return abs(math.log(one.after) - math.log(one.before))
    assert one.ratio is not None
    return abs(math.log(one.ratio))


def importance(one: Finding) -> tuple[int, float]:
    """What matters most is smallest."""
    return rank(one), -size(one)


def findings(trend: Trend) -> list[Finding]:
    """All, the members of a fleet event as one."""
    return sorted([*trend.changes, *trend.fleet_events, *trend.drifts, *trend.stopped], key=importance)


def percent(ratio: float) -> str:
    """1.06 is "+6.0%"; what no percentage tells is a factor."""
    if ratio > 1e4:
        return f"×{ratio:.3g}"
    return ("-" if ratio < 1 else "+") + units.percent(abs(ratio - 1))


def change(one: Change) -> str:
    """How much, without its interval; empty for a count that was 0."""
    if one.ratio is not None:
        return percent(one.ratio)
    return percent(one.after / one.before) if one.before > 0 and math.isfinite(one.after / one.before) else ""


def interval(one: Change | Drift) -> str:
    if one.ratio_low is None or one.ratio_high is None:
        return ""
    return f"{percent(one.ratio_low)} to {percent(one.ratio_high)}"


def sized(one: Change | Drift) -> str:
    """ "+6.0% (+5.6% to +6.5%)"."""
    much = change(one) if isinstance(one, Change) else percent(one.ratio)
    return much + (f" ({interval(one)})" if interval(one) else "")


def levels(one: Change) -> str:
    """ "933 → 989 ns": with as many digits as it takes to tell both apart."""
    if one.metric:
        unit = f" {one.unit}" if one.unit not in ("", "1") else ""
        return f"{units.count(one.before)} → {units.count(one.after)}{unit}"
    low, high = sorted((one.before, one.after))
    first, second, unit = units.time_ends(low, high)
    return f"{first} → {second} {unit}" if one.before <= one.after else f"{second} → {first} {unit}"


def kind(one: Change) -> str:
    """As in docs/trend.md, with what makes it stand out."""
    words = one.kind if one.confirmed else f"unconfirmed {one.kind}" if one.kind != "environment" else "unconfirmed"
    return f"{words}, new" if one.new else words


def commits(of: NightChanges) -> str:
    """ "commit 0061c0ffeec0 → 0062c0ffeec0", or empty when it is the same."""
    if of.before_commit == of.after_commit:
        return ""
    return f"commit {_commit(of.before_commit, of.before_dirty)} → {_commit(of.after_commit, of.after_dirty)}"


def _commit(commit: str, dirty: bool) -> str:
    return (commit[:12] or "unknown") + (" with local changes" if dirty and commit else "")
