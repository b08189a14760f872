"""Rate against operations per byte that moved at each level of memory, below that level's roof
(Yang, Kurth and Williams, "Hierarchical Roofline analysis for GPUs", 2019)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reports import ceilings, plot, table
from reports.figures import roofline
from reports.model import Case, Ceiling, Run

TITLE = "Roofline by level"
READING = (
    "The same cases below the roof of each level, by the bytes that were counted there in place of "
    "the least that must move: the fastest case of each variant and type that was counted. A case "
    "is large, and named where there is room, in the panel in which it is nearest to the slope: "
    "the level that it keeps busiest. If it is far from the slope there, too, and from its flat "
    "line, no bandwidth limits it. Of shared memory, what tensor cores read by themselves is not "
    "counted."
)
ORDER = 1

WAVEFRONT_BYTES = 128.0
"""32 banks of 4 bytes. Source: CUDA C++ Programming Guide, "Shared Memory"."""

_SIZE = (13.0, 6.4)  # inches: three panels
_RING = {"marker": "o", "markersize": 14, "markerfacecolor": "none", "color": plot.GREY}
_BY_EMULATED = f"in a ring: by counts of {roofline.EMULATED}"


@dataclass(frozen=True)
class Counted:
    """Bytes that one execution moved at a level, and who counted them."""

    bytes: float
    by: str


@dataclass(frozen=True)
class Level:
    """`kind` is that of its roofs."""

    name: str
    kind: str
    counted: Callable[[Case], Counted | None]


@dataclass(frozen=True)
class LevelPanel:
    """The spots of a level below its roof; `counted` are by case names."""

    level: Level
    panel: roofline.Panel
    counted: dict[str, Counted]


def _dram(case: Case) -> Counted | None:
    moved = roofline.dram_bytes(case)
    return _either(moved.get(roofline.HARDWARE), moved.get(roofline.EMULATED))


def _l2(case: Case) -> Counted | None:
    return _either(case.metric("hardware_l2_bytes"), _emulated(case, "l2", "B"))


def _shared(case: Case) -> Counted | None:
    wavefronts = (
        case.metric("hardware_shared_wavefronts"),
        _emulated(case, "shared_memory", "wavefronts"),
    )
    return _either(*(count * WAVEFRONT_BYTES if count else None for count in wavefronts))


def _emulated(case: Case, resource: str, unit: str) -> float | None:
    """What the emulated device counted, as the explanation of the case has it."""
    for usage in case.explanation.usages if case.explanation else ():
        if (usage.resource, usage.unit, usage.amount_by) == (resource, unit, "counts"):
            return usage.amount
    return None


def _either(hardware: float | None, emulated: float | None) -> Counted | None:
    """Counters of the hardware go before emulated counts."""
    if hardware is not None:
        return Counted(hardware, roofline.HARDWARE) if hardware > 0 else None
    return Counted(emulated, roofline.EMULATED) if emulated else None


LEVELS = (
    Level("DRAM", "dram", _dram),
    Level("L2", "llc", _l2),
    Level("shared memory", "shared", _shared),
)


def panels(run: Run) -> list[LevelPanel]:
    """Of the levels that have a roof and a count, the slowest memory first."""
    roofs = {level: roof for level in LEVELS if (roof := ceilings.of(run.roofs, level.kind))}
    cases = _fastest_counted(run, roofs)
    types = (one for case, _ in cases for one in roofline.types(case.dtype, case.roof))
    compute = ceilings.compute_of(run.roofs, types)
    made = []
    for level, roof in roofs.items():
        spots, counts = [], {}
        for case, counted in cases:
            if level not in counted:
                continue
            point = plot.rate_point(case, (case.flops or 0) / counted[level].bytes, case.flop_rate)
            if point:
                busiest = max(counted, key=lambda one: counted[one].bytes / roofs[one].reached)
                spot = roofline.Spot(
                    case.suite, case.variant, case.dtype, point, best=busiest == level
                )
                spots.append(spot)
                counts[case.name] = counted[level]
        if spots:
            made.append(LevelPanel(level, roofline.Panel(spots, [roof], compute), counts))
    return made


def _fastest_counted(
    run: Run, roofs: Mapping[Level, Ceiling]
) -> list[tuple[Case, dict[Level, Counted]]]:
    """Of each variant and type the case with the highest rate that was counted at a level with a
    roof."""
    fastest: dict[tuple[str, str, str], tuple[Case, dict[Level, Counted]]] = {}
    for case in run.cases:
        if not roofline.is_drawn(case):
            continue
        counted = {level: found for level in roofs if (found := level.counted(case))}
        group = (case.suite, case.variant, case.dtype)
        before = fastest.get(group)
        if counted and (not before or (case.flop_rate or 0) > (before[0].flop_rate or 0)):
            fastest[group] = (case, counted)
    return list(fastest.values())


def data(run: Run) -> list[table.Row]:
    rows: list[table.Row] = []
    for one in panels(run):
        busiest = {spot.point.name for spot in one.panel.spots if spot.best}
        for row in roofline.rows_of(one.panel):
            more: table.Row = {"level": one.level.name}
            if "case" in row:
                counted = one.counted[str(row["case"])]
                more |= {
                    table.unit("bytes", "B"): counted.bytes,
                    "counted by": counted.by,
                    "busiest level": "yes" if row["case"] in busiest else "no",
                }
            rows.append(more | row)
    return rows


def draw(run: Run, figure: Figure) -> bool:
    drawn = panels(run)
    if not drawn:
        return False
    if len(drawn) > 1:
        figure.set_size_inches(*_SIZE)
    grid = list(figure.subplots(1, len(drawn), sharey=True, squeeze=False).flat)
    for axes, one in zip(grid, drawn, strict=True):
        axes.set_title(f"{one.level.name}", fontsize=plot.RC["axes.labelsize"])
        axes.set_xlabel(f"FLOP per byte of {one.level.name}")
    grid[0].set_ylabel("Rate, FLOP/s")
    ringed = False
    for axes, one in zip(grid, drawn, strict=True):
        for spot in one.panel.spots:
            if one.counted[spot.point.name].by == roofline.EMULATED:
                axes.plot([spot.point.x], [spot.point.y], linestyle="none", **_RING)
                ringed = True
    more: dict[str, Artist] = {_BY_EMULATED: Line2D([], [], linestyle="none", **_RING)}
    roofline.draw_panels(grid, [one.panel for one in drawn], figure, more if ringed else {})
    return True
