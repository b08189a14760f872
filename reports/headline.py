"""The numbers of the first screen: what the device can do, the best of each suite, and what went
wrong."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from reports import plot, units
from reports.model import Case, Run

_FIRST_RUNGS = ("naive", "standard")  # what a speed-up is over


@dataclass(frozen=True)
class Factor:
    """How many times faster; `where` says on which problem, and is empty when it is the headline's
    own."""

    value: float
    where: str

    @property
    def text(self) -> str:
        return f"{units.plain(self.value, trim='k')}×"


@dataclass(frozen=True)
class Headline:
    """The fastest own case of a suite. Factors and shares are None where they cannot be stated."""

    suite: str
    case: Case
    over_naive: Factor | None
    over_vendor: Factor | None


def headlines(run: Run) -> list[Headline]:
    """One line a suite: the case with the highest rate, FLOP/s before B/s, a vendor library's only
    where there is no other.

    Cases that were not steady, that measure a ceiling, or that beat one do not count.
    """
    lines = []
    for suite in dict.fromkeys(case.suite for case in run.cases):
        steady = (case for case in run.of_suite(suite) if case.state == "good")
        good = [case for case in steady if not case.measures_roof and not case.beats_roof]
        own = [case for case in good if not plot.is_vendor(case.variant)] or good
        own = [case for case in own if case.rate]
        if not own:
            continue
        best = max(own, key=lambda case: (case.rate.unit == "FLOP/s", case.rate.value))
        over_naive = _speed_up(good, best, _first_rungs(best))
        lines.append(
            Headline(suite, best, over_naive, _speed_up(good, best, plot.VENDOR_LIBRARIES))
        )
    return lines


def table(run: Run) -> str:
    """The headlines as text: a title line, then one line a suite, columns aligned; empty when there
    is none."""
    rows = [("suite", "best case", "rate", "of roof", "over naive", "over vendor")]
    for line in headlines(run):
        words = line.case.words
        name = plot.shown(line.case.name.removeprefix(f"{line.suite}/"), 60)
        factors = [
            one.text + (f" at {one.where}" if one.where else "") if one else ""
            for one in (line.over_naive, line.over_vendor)
        ]
        rows.append((plot.shown(line.suite), name, words["rate"], words.get("share", ""), *factors))
    if len(rows) == 1:
        return ""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    justify = (str.ljust, str.ljust, str.rjust, str.rjust, str.rjust, str.rjust)
    cells = (
        [way(cell, width) for cell, width, way in zip(row, widths, justify, strict=True)]
        for row in rows
    )
    return "\n".join("  ".join(row).rstrip() for row in cells)


def _first_rungs(case: Case) -> tuple[str, ...]:
    """Names of the variant that `case` improves on: naive, standard, or transpose_naive for
    transpose_tiled."""
    group = case.variant.rpartition("_")[0]
    return (*_FIRST_RUNGS, f"{group}_naive") if group else _FIRST_RUNGS


def _speed_up(cases: list[Case], best: Case, references: Container[str]) -> Factor | None:
    """How many times faster the variant of `best` is than the fastest reference, on the problem of
    `best`; where no reference solved that, on the largest problem that both solved."""
    rivals: dict[tuple[object, ...], float] = {}
    for case in cases:
        if case.variant in references and case.variant != best.variant and case.median_ns:
            rivals[case.problem_key] = min(
                case.median_ns, rivals.get(case.problem_key, case.median_ns)
            )
    own = [case for case in cases if case.variant == best.variant and case.problem_key in rivals]
    if not own:
        return None
    shared = max(own, key=lambda case: (case is best, case.flops or 0, case.bytes or 0))
    differing = [
        f"{key}={value}" for key, value in shared.problem.items() if best.problem.get(key) != value
    ]
    if shared.dtype != best.dtype:
        differing.insert(0, shared.dtype)
    assert shared.median_ns
    return Factor(rivals[shared.problem_key] / shared.median_ns, ", ".join(differing))


def warnings(run: Run) -> list[str]:
    """What a reader must know before believing a number, beside the cases' own outcomes."""
    found = []
    for build in run.builds:
        if build.dirty:
            found.append(
                f"{build.worker} was built from a tree with uncommitted changes: "
                f"commit {build.commit[:12]} alone does not give this code."
            )
    if len({(build.worker, build.code_hash) for build in run.builds}) > len(
        {build.worker for build in run.builds}
    ):
        found.append(
            "A worker was rebuilt during the run: its processes did not all measure the same code."
        )
    if not run.counted and not any(roof.measured for roof in run.roofs):
        found.append(
            "No ceiling was measured in this run, so shares are of the datasheet's roofs, or "
            "absent."
        )
    few = sum(1 for case in run.cases if case.measured and case.interval_ns is None)
    if few:
        found.append(
            f"{few} of {sum(1 for case in run.cases if case.measured)} measured cases have fewer "
            "than 3 processes and therefore no interval."
        )
    return found
