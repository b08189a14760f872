"""The first screen: is anything wrong, what changed, and how far each device is from its roofs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports import compared, gate_page, latest, trend_page
from reports.case_index import CaseIndex
from reports.model import Run
from reports.section import Section

MOST_COLUMNS = 4  # of devices


@dataclass(frozen=True)
class Line:
    """One finding, with the page that tells more. `colour` is bad, note, good or empty."""

    text: str
    address: str
    colour: str = ""


@dataclass(frozen=True)
class Cell:
    """What the fastest own case of a suite reaches on a device; `share` is empty where no roof is
    known."""

    share: str
    roof: str
    variant: str
    address: str


@dataclass(frozen=True)
class RoofTable:
    """A row per suite, a column per device, each with its page; None where the device has no case
    of the suite."""

    devices: tuple[tuple[str, str], ...] = ()
    rows: tuple[tuple[str, tuple[Cell | None, ...]], ...] = ()

    @property
    def is_wide(self) -> bool:
        """Whether columns of all devices have no room on a screen."""
        return len(self.devices) > MOST_COLUMNS

    @property
    def lists(self) -> list[tuple[str, list[tuple[str, str, Cell]]]]:
        """Of each suite the devices that have a case of it: name, page and what it reaches."""
        return [
            (suite, [(*of, cell) for of, cell in zip(self.devices, cells, strict=True) if cell])
            for suite, cells in self.rows
        ]


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


def first_screen(sections: Sequence[Section], index: CaseIndex | None = None) -> FirstScreen:
    """With an `index`, roofs are those of the latest result of each case."""

    def of(*kinds: str) -> list[Section]:
        return [one for one in sections if one.kind in kinds]

    index = index or CaseIndex()
    wrong = [line for one in of("run", "counted") for line in wrong_in_run(one.of, one.address)]
    wrong += wrong_elsewhere(index)
    wrong += [line for one in of("gate") for line in wrong_in_gate(one)]
    wrong += [line for one in of("trend") for line in wrong_in_trend(one)]
    changed = [changed_in_gate(one) for one in of("gate")]
    changed += [changed_in_trend(one) for one in of("trend")]
    return FirstScreen(
        wrong=tuple(sorted(wrong, key=lambda line: line.colour != "bad")),
        changed=tuple(changed),
        roofs=latest_roofs(index) if index.devices else run_roofs(of("run")),
        beside=tuple(line for one in of("comparison") for line in beside(one)),
    )


def wrong_in_run(run: Run, address: str) -> list[Line]:
    return [
        Line(f"{run.device.model}: {one.words}", address, "bad" if one.bad else "note")
        for one in run.wrong
    ]


def wrong_elsewhere(index: CaseIndex) -> list[Line]:
    """Of latest results that are of runs without a page."""
    lines = []
    for device in index.devices:
        cases = latest.elsewhere(index, device)
        of = f"of {len(cases)} cases" if len(cases) > 1 else "of 1 case"
        lines += [
            Line(
                f"{device.name}: {words}, {of} that only earlier runs have",
                device.cases,
                "bad" if bad else "note",
            )
            for words, bad in latest.wrong(cases)
        ]
    return lines


def wrong_in_gate(one: Section) -> list[Line]:
    colour = {"wrong": "bad", "doubt": "note"}.get(gate_page.colour(one.of))
    if not colour:
        return []
    return [Line(f"{_gate(one)}: {one.of.conclusions[-1]}", one.address, colour)]


def changed_in_gate(one: Section) -> Line:
    return Line(f"{_gate(one)}: {one.of.counts_text}", one.address)


def wrong_in_trend(one: Section) -> list[Line]:
    told = trend_page.worse(one.of)
    return [
        Line(f"{one.of.model}: {text}", one.address, "bad" if fails else "note")
        for text, fails in told
    ]


def changed_in_trend(one: Section) -> Line:
    return Line(f"{one.of.model}: {one.of.conclusion}", one.address)


def beside(one: Section) -> list[Line]:
    """What a comparison comes to; the first line says what A and B are."""
    first, *more = one.of.conclusions
    a, b = compared.sides(one.of)
    return [Line(text, one.address) for text in (f"A is {a}, B is {b}: {first}", *more)]


def _gate(one: Section) -> str:
    return f"Gate of {gate_page.title(one.of)} on {one.of.device.model}"


def run_roofs(sections: Sequence[Section]) -> RoofTable:
    """Of runs with times."""
    best = [{line.suite: line.words for line in one.of.best} for one in sections]

    def cell(at: int, suite: str) -> Cell | None:
        words = best[at].get(suite)
        if words is None:
            return None
        share, roof, variant = (words.get(key, "") for key in ("share", "roof", "variant"))
        return Cell(share, roof, variant, sections[at].address)

    suites = dict.fromkeys(suite for lines in best for suite in lines)
    return RoofTable(
        tuple((one.of.device.model, one.address) for one in sections),
        tuple((suite, tuple(cell(at, suite) for at in range(len(sections)))) for suite in suites),
    )


def latest_roofs(index: CaseIndex) -> RoofTable:
    """Of the latest result of each case, on devices that have times."""
    devices = [one for one in index.devices if not one.history.counted]
    rows = []
    for suite, found in latest.best(index).items():
        cells = [found.get(device.number) for device in devices]
        rows.append(
            (
                suite,
                tuple(one and Cell(one.share, one.roof, one.variant, one.address) for one in cells),
            )
        )
    return RoofTable(tuple((one.name, one.address) for one in devices), tuple(rows))
