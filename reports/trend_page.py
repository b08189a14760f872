"""A trend's part of the page: what it came to, and the tables of it."""

from __future__ import annotations

from reports import gate_page, night_charts, trend_around
from reports.figures import nights
from reports.model_trend import Finding, Trend
from reports.section import Section

OPEN_CHARTS = 8
OPEN_ROWS = 40  # of a table that a page shows unfolded
OPEN_FACTS = 6
MOST_SENTENCES = 5


def section(one: Section) -> dict[str, object]:
    trend = one.of
    alone = [found for found in trend.findings if not found.members]
    return vars(one) | {
        "colour": gate_page.colour(trend),
        "conclusion": gate_page.sentence(trend.conclusion),
        "sentences": [sentence for sentence, _ in worse(trend)],
        "charts": night_charts.of(trend, one.anchor),
        "open_charts": OPEN_CHARTS,
        "reading": nights.READING,
        "left_out": nights.left_out(trend),
        "changes": [found for found in alone if found.is_step and not found.mode],
        "events": [found for found in trend.findings if found.members],
        "drifts": [found for found in alone if found.kind == "drift"],
        "stops": [found for found in alone if found.kind == "stopped"],
        "modes": [found for found in alone if found.mode],
        "around": trend_around.around(trend),
        "colour_of": colour_of,
        "open_rows": OPEN_ROWS,
        "open_facts": OPEN_FACTS,
    }


def worse(trend: Trend) -> list[tuple[str, bool]]:
    """What is for the worse, each in a sentence and with whether it fails a night; of many the
    first alone."""
    told = [
        (f"{one.case + ': ' if one.case else ''}{one.summary}", one.fails)
        for one in trend.findings
        if one.worse
    ]
    if len(told) <= MOST_SENTENCES:
        return told
    kept = told[: MOST_SENTENCES - 1]
    return [
        *kept,
        (f"and {len(told) - len(kept)} more", any(fails for _, fails in told[len(kept) :])),
    ]


def colour_of(one: Finding) -> str:
    if one.mode or one.kind == "environment" or (one.kind == "stopped" and not one.worse):
        return "note"
    return "bad" if one.worse else "good"
