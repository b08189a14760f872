"""The first screen: is anything wrong, what changed, and how far each device is from its roofs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports import compared, gate_page, trend_page
from reports.model import Facts, Run
from reports.section import Section

RoofTable = tuple[tuple[str, tuple[Facts | None, ...]], ...]


@dataclass(frozen=True)
class Line:
    """One finding, with the place on the page that tells more. `colour` is bad, note, good or
    empty."""

    text: str
    anchor: str
    colour: str = ""


@dataclass(frozen=True)
class FirstScreen:
    wrong: tuple[Line, ...]
    changed: tuple[Line, ...]
    roofs: RoofTable  # a row per suite, a column per run
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
    changed += [changed_in_trend(one) for one in of("trend")]
    return FirstScreen(
        wrong=tuple(sorted(wrong, key=lambda line: line.colour != "bad")),
        changed=tuple(changed),
        roofs=roof_table([one.of for one in of("run")]),
        beside=tuple(line for one in of("comparison") for line in beside(one)),
    )


def wrong_in_run(run: Run, anchor: str) -> list[Line]:
    return [
        Line(f"{run.device.model}: {one.words}", anchor, "bad" if one.bad else "note")
        for one in run.wrong
    ]


def wrong_in_gate(one: Section) -> list[Line]:
    colour = {"wrong": "bad", "doubt": "note"}.get(gate_page.colour(one.of))
    if not colour:
        return []
    return [Line(f"{_gate(one)}: {one.of.conclusions[-1]}", one.anchor, colour)]


def changed_in_gate(one: Section) -> Line:
    return Line(f"{_gate(one)}: {one.of.counts_text}", one.anchor)


def wrong_in_trend(one: Section) -> list[Line]:
    told = trend_page.worse(one.of)
    return [
        Line(f"{one.of.model}: {text}", one.anchor, "bad" if fails else "note")
        for text, fails in told
    ]


def changed_in_trend(one: Section) -> Line:
    return Line(f"{one.of.model}: {one.of.conclusion}", one.anchor)


def beside(one: Section) -> list[Line]:
    """What a comparison comes to; the first line says what A and B are."""
    first, *more = one.of.conclusions
    a, b = compared.sides(one.of)
    return [Line(text, one.anchor) for text in (f"A is {a}, B is {b}: {first}", *more)]


def _gate(one: Section) -> str:
    return f"Gate of {gate_page.title(one.of)} on {one.of.device.model}"


def roof_table(runs: Sequence[Run]) -> RoofTable:
    """Of runs with times, what the fastest own case of each suite reaches; None where the run has
    no case of it."""
    best = [{line.suite: line.words for line in run.best} for run in runs]
    suites = dict.fromkeys(suite for lines in best for suite in lines)
    return tuple((suite, tuple(lines.get(suite) for lines in best)) for suite in suites)
