"""A comparison's part of the page: its tables. What it comes to in words is in comparison_words."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reports import compared, comparison_words, units
from reports.comparison_words import short
from reports.model import Roof
from reports.model_comparison import ChangedMetric, ComparedCase, ComparedSuite, Comparison, SideOfCase
from reports.render import Picture, data_uri

__all__ = ["Section", "section", "short"]

OPEN_ROWS = 60  # what a page shows unfolded of all cases
OPEN_DIFFERENCES = 8


@dataclass(frozen=True)
class Section:
    """One comparison with its figures, each of one or more pictures; `anchor` is unique on the page."""

    anchor: str
    comparison: Comparison
    figures: Sequence[tuple[Picture, ...]]


def section(one: Section) -> dict[str, object]:
    comparison = one.comparison
    groups = compared.by_suite(comparison)
    changed = count_lines(comparison)
    return {
        "anchor": one.anchor,
        "comparison": comparison,
        "figures": [[(picture, data_uri(picture.svg)) for picture in figure] for figure in one.figures],
        "title": comparison_words.title(comparison),
        "conclusion": comparison_words.conclusion(comparison),
        "sentences": comparison_words.sentences(comparison),
        "open_differences": OPEN_DIFFERENCES,
        "suites": [suite_line(suite, groups.get(suite.suite, ())) for suite in comparison.suites],
        "roofs": roof_lines(comparison.roofs_of("a"), comparison.roofs_of("b")),
        "groups": [(suite, [case_line(case) for case in cases]) for suite, cases in groups.items()],
        "is_open": sum(map(len, groups.values())) <= OPEN_ROWS,
        "changed": changed,
        "changed_is_open": len(changed) <= OPEN_ROWS,
        "not_compared": not_compared(comparison),
        "one_sided": [(letter, one_sided(comparison, letter.lower())) for letter in ("A", "B")],
        "command": shlex.join(["ridgeline", "compare", comparison.a.id, comparison.b.id]),
    }


@dataclass(frozen=True)
class SuiteLine:
    """A line of the table of means; empty texts where something is not known."""

    suite: str
    cases: int
    mean: str
    interval: str
    roofs_alone: str
    roofs_of: str
    processes: str
    lowest: str
    highest: str
    doubts: str


def suite_line(suite: ComparedSuite, cases: Iterable[ComparedCase]) -> SuiteLine:
    alone = compared.roofs_alone(cases)
    doubts = [f"{suite.unstable} of them unstable"] if suite.unstable else []
    doubts += [f"{suite.disturbed} disturbed, left out"] if suite.disturbed else []
    return SuiteLine(
        suite=suite.suite,
        cases=suite.cases,
        mean=units.ratio(suite.ratio),
        interval=_range(suite.ratio_low, suite.ratio_high),
        roofs_alone=units.ratio(alone.ratio) if alone else "",
        roofs_of=f"of {alone.cases} case{'s' if alone.cases != 1 else ''}"
        if alone and alone.cases != suite.cases
        else "",
        processes=f"{suite.a_processes}, {suite.b_processes}",
        lowest=units.ratio(suite.lowest),
        highest=units.ratio(suite.highest),
        doubts="; ".join(doubts),
    )


def _range(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else units.ratio_range(low, high)


@dataclass(frozen=True)
class RoofLine:
    """A ceiling of both sides, or of one."""

    kind: str
    source: str
    a: str
    b: str
    ratio: str


def roof_lines(a: Sequence[Roof], b: Sequence[Roof]) -> list[RoofLine]:
    """Measured ones first."""
    values = [{(not roof.measured, roof.kind, roof.unit): roof.value for roof in roofs} for roofs in (a, b)]
    lines = []
    for key in sorted(values[0].keys() | values[1].keys()):
        from_datasheet, kind, unit = key
        ends = [side.get(key) for side in values]
        texts = [units.quantity(end, unit) if end is not None else "" for end in ends]
        ratio = units.ratio(ends[1] / ends[0]) if ends[0] and ends[1] else ""
        lines.append(RoofLine(kind, "datasheet" if from_datasheet else "measured", *texts, ratio))
    return lines


@dataclass(frozen=True)
class CaseLine:
    """A line of the table of cases; empty texts where something is not known."""

    case: str
    work: str
    a: str
    b: str
    ratio: str
    interval: str
    roofs_alone: str
    roofs: str
    rest: str
    shares: tuple[tuple[str, str], tuple[str, str]]
    cause: str
    because: str


def case_line(case: ComparedCase) -> CaseLine:
    none = "measures a roof itself" if case.measures_roof else "no roof of both sides"
    return CaseLine(
        case=case.case,
        work=f"per unit of work: B did {units.ratio(case.work)} of A's" if case.work not in (None, 1) else "",
        a=_time(case.a),
        b=_time(case.b),
        ratio=units.ratio(case.ratio) if case.ratio is not None else "",
        interval=_range(case.ratio_low, case.ratio_high),
        roofs_alone=units.ratio(case.roofs_ratio) if case.roofs_ratio is not None else "",
        roofs="of datasheets" if case.roofs == "datasheet" else "",
        rest=units.ratio(case.rest) if case.rest is not None else "",
        shares=(_share(case.a), _share(case.b)),
        cause=case.cause or none,
        because=case.because,
    )


def _time(side: SideOfCase) -> str:
    if side.median_ns is None:
        return ""
    return units.time(side.median_ns) + (" ?" if side.hollow else "")


def _share(side: SideOfCase) -> tuple[str, str]:
    """The share, and the roof that it is of."""
    if side.share_of_roof is None:
        return "", ""
    return units.percent(side.share_of_roof) + (" !!" if side.share_of_roof > compared.ROOF_MARGIN else ""), side.roof


@dataclass(frozen=True)
class CountLine:
    case: str
    other_inputs: bool
    metric: str
    a: str
    b: str
    ratio: str


def count_lines(comparison: Comparison) -> list[CountLine]:
    return [
        CountLine(case.case, case.other_inputs, _metric(metric), *_counts(metric), _ratio(metric))
        for case in comparison.counted
        if not case.not_compared
        for metric in case.changed
    ]


def _metric(metric: ChangedMetric) -> str:
    return metric.metric if metric.unit in ("", "1") else f"{metric.metric}, {metric.unit}"


def _counts(metric: ChangedMetric) -> tuple[str, str]:
    """With all digits where the ends would else read alike; "none" where a side does not have it."""
    for digits in (12, 17):
        a, b = ("none" if end is None else f"{end:.{digits}g}" for end in (metric.a, metric.b))
        if a != b:
            break
    return a, b


def _ratio(metric: ChangedMetric) -> str:
    return units.ratio(metric.ratio) if metric.ratio is not None else ""


Groups = list[tuple[str, list[str]]]


def not_compared(comparison: Comparison) -> Groups:
    """Names by reason, the most frequent first."""
    times = ((case.not_compared, case.case) for case in comparison.cases if case.ratio is None)
    counts = ((case.not_compared, case.case) for case in comparison.counted if case.not_compared)
    return _grouped([*times, *counts])


def one_sided(comparison: Comparison, side: str) -> Groups:
    return _grouped((one.why, one.case) for one in comparison.one_sided if one.side == side)


def _grouped(pairs: Iterable[tuple[str, str]]) -> Groups:
    groups: dict[str, list[str]] = {}
    for reason, name in pairs:
        groups.setdefault(reason, []).append(name)
    return sorted(groups.items(), key=lambda item: -len(item[1]))
