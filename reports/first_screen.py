"""The first screen: is anything wrong, what changed, and how far each device is from its roofs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports import comparison_page, counted_page, gate_page, headline, run_page, trend_page
from reports.model import Run


@dataclass(frozen=True)
class Line:
    """One finding, with the place on the page that tells more. `colour` is bad, note, good or empty."""

    text: str
    anchor: str
    colour: str = ""


@dataclass(frozen=True)
class Share:
    """What the best case of a suite reaches; `share` is empty where no roof says anything."""

    share: str
    roof: str
    variant: str


@dataclass(frozen=True)
class RoofTable:
    """A column a device, as (model, anchor), a row a suite; None where the device has no case of it."""

    devices: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, tuple[Share | None, ...]], ...]


@dataclass(frozen=True)
class FirstScreen:
    wrong: tuple[Line, ...]
    changed: tuple[Line, ...]
    roofs: RoofTable
    beside: tuple[Line, ...]  # two runs side by side

    @property
    def colour(self) -> str:
        """The class of the box around the first answer."""
        colours = {line.colour for line in self.wrong}
        return "wrong" if "bad" in colours else "doubt" if "note" in colours else ""


def first_screen(
    runs: Sequence[run_page.Section | counted_page.Section],
    gates: Sequence[gate_page.Section],
    trends: Sequence[trend_page.Section],
    comparisons: Sequence[comparison_page.Section],
) -> FirstScreen:
    wrong = [line for one in runs for line in wrong_in_run(one.run, one.anchor)]
    wrong += [line for one in gates for line in wrong_in_gate(one)]
    wrong += [line for one in trends for line in wrong_in_trend(one)]
    changed = [changed_in_gate(one) for one in gates]
    changed += [line for one in trends for line in changed_in_trend(one)]
    return FirstScreen(
        wrong=tuple(sorted(wrong, key=lambda line: line.colour != "bad")),
        changed=tuple(changed),
        roofs=roof_table([(one.run, one.anchor) for one in runs if not one.run.counted]),
        beside=tuple(Line(text, one.anchor) for one in comparisons for text in comparison_page.short(one.comparison)),
    )


def wrong_in_run(run: Run, anchor: str) -> list[Line]:
    return [Line(f"{run.device.model}: {one.words}", anchor, "bad" if one.bad else "note") for one in run.wrong]


def wrong_in_gate(one: gate_page.Section) -> list[Line]:
    colour = {"wrong": "bad", "doubt": "note"}.get(gate_page.colour(one.gate))
    if not colour:
        return []
    return [Line(f"{_gate(one)}: {one.gate.conclusions[-1]}", one.anchor, colour)]


def changed_in_gate(one: gate_page.Section) -> Line:
    return Line(f"{_gate(one)}: {one.gate.counts_text}", one.anchor)


def wrong_in_trend(one: trend_page.Section) -> list[Line]:
    """What fails a night, then what is for the worse and known."""
    lines = [Line(f"{one.trend.model}: {text}", one.anchor, "bad") for text in trend_page.wrong(one.trend)]
    if known := trend_page.known(one.trend):
        text = f"{one.trend.model}: {known} within {len(one.trend.dates)} nights"
        lines.append(Line(text, one.anchor, "note"))
    return lines


def changed_in_trend(one: trend_page.Section) -> list[Line]:
    """What the nights that are shown have brought; where that is nothing, so many words."""
    told = trend_page.changed(one.trend)
    if not told and not trend_page.wrong(one.trend):
        told = [trend_page.conclusion(one.trend)]
    return [Line(f"{one.trend.model}: {text}", one.anchor) for text in told]


def _gate(one: gate_page.Section) -> str:
    facts = one.gate.facts
    return f"Gate of {facts.candidate} against {facts.baseline} on {one.gate.device.model}"


def roof_table(runs: Sequence[tuple[Run, str]]) -> RoofTable:
    """Of runs with times, each with its anchor: what the fastest own case of each suite reaches."""
    best = [{line.suite: line for line in headline.headlines(run)} for run, _ in runs]
    suites = dict.fromkeys(suite for lines in best for suite in lines)
    rows = tuple((suite, tuple(_share(lines.get(suite)) for lines in best)) for suite in suites)
    return RoofTable(tuple((run.device.model, anchor) for run, anchor in runs), rows)


def _share(line: headline.Headline | None) -> Share | None:
    if line is None:
        return None
    return Share(line.case.words.get("share", ""), line.case.roof, f"{line.case.variant} {line.case.dtype}")
