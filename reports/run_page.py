"""A run's part of the page: its figures, its ceilings, and every case with how its number was obtained."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reports import headline, units
from reports.figures import roofs
from reports.model import FAILED, HOLLOW, LEFT_OUT, Case, Facts, Run
from reports.render import Picture, data_uri


@dataclass(frozen=True)
class Section:
    """One run with its figures; `anchor` is unique on the page."""

    anchor: str
    run: Run
    pictures: Sequence[Picture]
    not_drawn: Sequence[str]


def circumstances(run: Run) -> dict[str, object]:
    return {"facts": facts(run), "built_from": built_from(run), "repeat": repeat(run)}


def section(one: Section) -> dict[str, object]:
    run = one.run
    return {
        "anchor": one.anchor,
        "run": run,
        "pictures": [(picture, data_uri(picture.svg)) for picture in one.pictures],
        "not_drawn": one.not_drawn,
        "outcomes": headline.outcomes(run),
        "failures": headline.troubles(run, FAILED),
        "hollow": headline.troubles(run, HOLLOW),
        "left_out": headline.troubles(run, LEFT_OUT),
        "beating": [case for case in run.cases if case.beats_roof],
        "warnings": headline.warnings(run),
        "headlines": headline.headlines(run),
        "ceilings": ceilings(run),
        **circumstances(run),
        "rate": rate,
        "interval": interval,
        "obtained": obtained,
        "wall": wall(run),
    }


def built_from(run: Run) -> str:
    """The commits of all workers, shortened; what is not known is called so."""
    commits = sorted({build.commit[:12] or "unknown" for build in run.builds}, key=lambda one: (one == "unknown", one))
    if len(commits) > 2:
        return "several commits"
    return " and ".join("an unknown commit" if one == "unknown" else one for one in commits) or "an unknown commit"


def commit(run: Run) -> str:
    """The commit that all workers were built from, or an empty string when they differ or it is not known."""
    commits = {build.commit for build in run.builds}
    only = commits.pop() if len(commits) == 1 else ""
    return "" if only == "unknown" else only


def repeat(run: Run) -> list[str]:
    """The commands that do the run again, from a clone: what was typed, with the seed that the run drew if none was."""
    known = commit(run)
    checkout = [f"git checkout {shlex.quote(known)}"] if known else []
    build = ["ci/setup", "cmake --preset release", "cmake --build --preset release"]
    return [*checkout, *build, f"build/release/bin/{seeded(run.command_line, run.seed)}"]


def seeded(command_line: str, seed: int) -> str:
    """The line with --seed behind `ridgeline run`, unless one of its words says so already."""
    try:
        words = shlex.split(command_line)
    except ValueError:  # no line that Ridgeline has stored
        return command_line
    if any(word == "--seed" or word.startswith("--seed=") for word in words):
        return command_line
    return shlex.join([*words[:2], "--seed", str(seed), *words[2:]])


@dataclass(frozen=True)
class Ceiling:
    """A line of the table of ceilings; empty texts where something is not known."""

    kind: str
    measured: str
    datasheet: str
    reached: str
    source: str


def ceilings(run: Run) -> list[Ceiling]:
    """All roofs in the order of the figure; a datasheet's "dram" stands beside every measured dram.*."""
    lines = []
    for bar in (bar for panel in roofs.bars(run).values() for bar in panel):
        reached = bar.measured / bar.datasheet if bar.measured and bar.datasheet and bar.unit != "ns" else None
        kinds = (bar.kind, bar.kind.split(".")[0])
        sources = (
            roof.source for roof in run.roofs if not roof.measured and roof.kind in kinds and roof.unit == bar.unit
        )
        lines.append(
            Ceiling(
                bar.kind,
                units.quantity(bar.measured, bar.unit) if bar.measured else "",
                units.quantity(bar.datasheet, bar.unit) if bar.datasheet else "",
                units.percent(reached) if reached else "",
                next(sources, ""),
            )
        )
    return lines


def facts(run: Run) -> list[tuple[str, Facts]]:
    device, environment = run.device, run.environment
    tables = [
        ("Device", {"name": device.name, "uuid": device.uuid, "PCI id": device.pci_id, **device.properties}),
        ("Must be equal to compare runs", {**device.comparable, **environment.comparable, "hash": environment.hash}),
        ("Recorded", {**device.recorded, **environment.recorded}),
    ]
    return [(title, {key: value for key, value in table.items() if value}) for title, table in tables]


def rate(case: Case) -> str:
    """What a case is about: the ceiling that it measures; else FLOP/s where it computes at least one operation a byte;
    else bus bandwidth; else useful bytes a second. A dash when there is none."""
    latency, busbw = case.metric("latency"), case.metric("busbw")
    if case.measures_roof.startswith("latency."):
        return units.time(latency) + " a load" if latency else "–"
    if case.measures_roof:
        computes = case.measures_roof.startswith(("fma.", "tensor."))
    else:
        computes = (case.flops or 0) >= (case.bytes or 0)
    if computes and case.flop_rate:
        return units.flop_rate(case.flop_rate)
    if busbw:
        return units.byte_rate(busbw) + " bus"
    return units.byte_rate(case.byte_rate) if case.byte_rate else "–"


def interval(case: Case) -> str:
    return units.time_range(*case.interval_ns) if case.interval_ns else "–"


@dataclass(frozen=True)
class Obtained:
    """How a case's number came to be, over its processes that kept samples."""

    samples: str
    executions: str
    launch: str
    spread: str
    clock: str
    power: str
    throttle: str


def obtained(case: Case) -> Obtained:
    kept = [measurement for measurement in case.measurements if measurement.samples]
    spreads = [measurement.relative_spread for measurement in kept if measurement.relative_spread is not None]
    clocks = [measurement.sm_clock_mhz for measurement in kept if measurement.sm_clock_mhz is not None]
    powers = [measurement.power_w for measurement in kept if measurement.power_w is not None]
    return Obtained(
        samples=" + ".join(str(measurement.samples) for measurement in kept) or "–",
        executions=_each(str(measurement.executions_per_sample) for measurement in kept),
        launch=_each(" ".join(filter(None, (measurement.launch, measurement.cache))) for measurement in kept),
        spread=units.percent(max(spreads)) if spreads else "–",
        clock=f"{min(clocks):.0f} MHz" if clocks else "–",
        power=f"{max(powers):.0f} W" if powers else "–",
        throttle=_each(measurement.throttle for measurement in kept),
    )


def _each(values: Iterable[str]) -> str:
    """The distinct values, in order; usually one."""
    return ", ".join(dict.fromkeys(value for value in values if value)) or "–"


def wall(run: Run) -> list[tuple[str, str, str]]:
    """What the wall time of measuring went into: what, time, share."""
    if run.wall_ns is None or run.wall_ns.total_ns <= 0:
        return []
    parts = {
        "timed executions": run.wall_ns.timed_ns,
        "warm-up": run.wall_ns.warmup_ns,
        "verification": run.wall_ns.verify_ns,
        "preparation": run.wall_ns.prepare_ns,
    }
    return [(what, units.time(ns), units.percent(ns / run.wall_ns.total_ns)) for what, ns in parts.items()]
