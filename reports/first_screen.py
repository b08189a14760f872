"""The first screen: is anything wrong, what changed, and how far each device is from its roofs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports import comparison_words, gate_page, headline, trend_page
from reports.model import Run
from reports.section import Section

RoofTable = tuple[tuple[str, tuple[headline.Headline | None, ...]], ...]


@dataclass(frozen=True)
class Line:
    """One finding, with the place on the page that tells more. `colour` is bad, note, good or empty."""

    text: str
    anchor: str
    colour: str = ""


@dataclass(frozen=True)
class FirstScreen:
    wrong: tuple[Line, ...]
    changed: tuple[Line, ...]
    roofs: RoofTable  # a row a suite, a column a run
    beside: tuple[Line, ...]  # two runs side by side

    @property
    def colour(self) -> str:
        """The class of the box around the first answer."""
        colours = {line.colour for line in self.wrong}
        return "wrong" if "bad" in colours else "doubt" if "note" in colours else ""


def first_screen(sections: Sequence[Section]) -> FirstScreen:
    def of(*kinds: str) -> list[Section]:
        return [one for one in sections if one.kind in kinds]

    wrong = [line for one in of("run", "counted") for line in wrong_in_run(one.of, one.anchor)]
    wrong += [line for one in of("gate") for line in wrong_in_gate(one)]
    wrong += [line for one in of("trend") for line in wrong_in_trend(one)]
    changed = [changed_in_gate(one) for one in of("gate")]
    changed += [line for one in of("trend") for line in changed_in_trend(one)]
    return FirstScreen(
        wrong=tuple(sorted(wrong, key=lambda line: line.colour != "bad")),
        changed=tuple(changed),
        roofs=roof_table([one.of for one in of("run")]),
        beside=tuple(Line(text, one.anchor) for one in of("comparison") for text in comparison_words.short(one.of)),
    )


def wrong_in_run(run: Run, anchor: str) -> list[Line]:
    return [Line(f"{run.device.model}: {one.words}", anchor, "bad" if one.bad else "note") for one in run.wrong]


def wrong_in_gate(one: Section) -> list[Line]:
    colour = {"wrong": "bad", "doubt": "note"}.get(gate_page.colour(one.of))
    if not colour:
        return []
    return [Line(f"{_gate(one)}: {one.of.conclusions[-1]}", one.anchor, colour)]


def changed_in_gate(one: Section) -> Line:
    return Line(f"{_gate(one)}: {one.of.counts_text}", one.anchor)


def wrong_in_trend(one: Section) -> list[Line]:
    """What fails a night, then what is for the worse and known."""
    lines = [Line(f"{one.of.model}: {text}", one.anchor, "bad") for text in trend_page.wrong(one.of)]
    if known := trend_page.known(one.of):
        text = f"{one.of.model}: {known} within {len(one.of.dates)} nights"
        lines.append(Line(text, one.anchor, "note"))
    return lines


def changed_in_trend(one: Section) -> list[Line]:
    """What the nights that are shown have brought; where that is nothing, so many words."""
    told = trend_page.changed(one.of)
    if not told and not trend_page.wrong(one.of):
        told = [trend_page.conclusion(one.of)]
    return [Line(f"{one.of.model}: {text}", one.anchor) for text in told]


def _gate(one: Section) -> str:
    facts = one.of.facts
    return f"Gate of {facts.candidate} against {facts.baseline} on {one.of.device.model}"


def roof_table(runs: Sequence[Run]) -> RoofTable:
    """Of runs with times, what the fastest own case of each suite reaches; None where the run has no case of it."""
    best = [{line.suite: line for line in headline.headlines(run)} for run in runs]
    suites = dict.fromkeys(suite for lines in best for suite in lines)
    return tuple((suite, tuple(lines.get(suite) for lines in best)) for suite in suites)
