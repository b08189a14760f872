"""Rate against operational intensity, below the ceilings of the device (Williams, Waterman and
Patterson, 2009)."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reports import annotate, labels, plot, table, units
from reports.model import Case, Ceiling, Roof, Run, highest_roof

TITLE = "Roofline"
READING = (
    "A case can rise to the slope (memory) or to the flat line of its type (compute), whichever is "
    "lower. Solid ceilings were measured on this device (dots and dashes: not steadily), dashed "
    "ones come from its datasheet; a name with 'of' gives both in that order. Only cases with "
    "operations and bytes are drawn, and no multiply-adds that just fill registers; the fastest of "
    "each variant is large and named where there is room. Where the GPU's counters were read, a "
    "line leads from a point to the operations per byte that really moved between DRAM and L2."
)
ORDER = 0

_MEMORY_LEVELS = ("dram", "llc", "l1")
_MOST_NAMES = 14
_FEW_SUITES = 4  # that a command names
_SAME = 0.02  # ceilings that differ by less share a line and a name
_NEAR = 16.0  # points (1/72 inch) between two points of a variant that share a name
_REACH = 42.0  # points from a point to its name
HARDWARE, EMULATED = "the hardware", "the emulated device"
_COUNTED_BY = {HARDWARE: "|", EMULATED: "x"}
_COUNTED = {"linewidth": 1.0, "markersize": 7, "markevery": [1], "alpha": 0.8, "zorder": 3}


@dataclass(frozen=True)
class Spot:
    """One case: intensity in FLOP/B, rate in FLOP/s; `best` when it is the fastest of its variant
    and type. `counted` has the intensities by counted bytes of DRAM, by who counted."""

    suite: str
    variant: str
    dtype: str
    point: plot.Point
    best: bool
    counted: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Panel:
    """The cases of a device below its ceilings."""

    spots: list[Spot]
    memory: list[Ceiling]
    compute: list[Ceiling]


def is_workload(suite: str, *, measures_roof: bool) -> bool:
    """Cases that measure a ceiling are the ceilings, and the multiply-adds of suite occupancy touch
    next to no memory: neither is a workload below a roof."""
    return not measures_roof and suite != "occupancy"


def _is_drawn(case: Case) -> bool:
    workload = is_workload(case.suite, measures_roof=bool(case.measures_roof))
    return bool(workload and case.measured and case.flops and case.bytes)


def spots(run: Run) -> list[Spot]:
    placed, counted = [], []
    for case in run.cases:
        if _is_drawn(case):
            point = plot.rate_point(case, case.flops / case.bytes, case.flop_rate)
            if point:
                placed.append((case.suite, case.variant, case.dtype, point))
                counted.append(_counted_intensities(case))
    return [
        replace(spot, counted=one) for spot, one in zip(with_best(placed), counted, strict=True)
    ]


def _counted_intensities(case: Case) -> dict[str, float]:
    """Operations of the problem per byte that moved between DRAM and L2, by hardware counters and
    on the emulated device."""
    ways = [case.metric(f"hardware_dram_{way}_bytes") for way in ("read", "written")]
    hardware = sum(way for way in ways if way is not None) if None not in ways else None
    moved = {HARDWARE: hardware, EMULATED: case.counted_dram_bytes}
    return {by: case.flops / total for by, total in moved.items() if case.flops and total}


def with_best(placed: Sequence[tuple[str, str, str, plot.Point]]) -> list[Spot]:
    """Spots of (suite, variant, type, point)."""
    fastest: dict[tuple[str, ...], plot.Point] = {}
    for *group, point in placed:
        best = fastest.setdefault(tuple(group), point)
        if point.y > best.y:
            fastest[tuple(group)] = point
    return [Spot(*group, point, fastest[tuple(group)] is point) for *group, point in placed]


def drawn_types(run: Run) -> list[str]:
    return [case.dtype for case in run.cases if _is_drawn(case)]


def memory_of(roofs: Sequence[Roof]) -> list[Ceiling]:
    return [ceiling for level in _MEMORY_LEVELS if (ceiling := _ceiling(roofs, level))]


def compute_of(roofs: Sequence[Roof], dtypes: Iterable[str]) -> list[Ceiling]:
    """The ceiling of each type, of tensor cores where it has any, else of FMA units; the lowest
    first. Ceilings of one unit that are all but equal are one, named after all their types."""
    merged: list[tuple[Ceiling, str, list[str]]] = []
    for dtype in plot.dtype_order(dtypes):
        for unit in ("tensor", "fma"):
            ceiling = _ceiling(roofs, f"{unit}.{dtype}")
            if ceiling:
                like = (
                    types for other, of, types in merged if of == unit and _equal(other, ceiling)
                )
                same = next(like, None)
                if same is None:
                    merged.append((ceiling, unit, [dtype]))
                else:
                    same.append(dtype)
                break
    named = [
        Ceiling(f"{unit} {', '.join(types)}", one.measured, one.datasheet)
        for one, unit, types in merged
    ]
    return sorted(named, key=lambda ceiling: ceiling.reached)


def _ceiling(roofs: Sequence[Roof], kind: str) -> Ceiling | None:
    measured, datasheet = (highest_roof(roofs, kind, measured=how) for how in (True, False))
    return Ceiling(kind, measured, datasheet) if measured or datasheet else None


def _equal(a: Ceiling, b: Ceiling) -> bool:
    pairs = ((a.measured, b.measured), (a.datasheet, b.datasheet))
    return all(
        (one is None and other is None)
        or (one and other and math.isclose(one.value, other.value, rel_tol=_SAME))
        for one, other in pairs
    )


def panel_of(run: Run) -> Panel:
    return Panel(spots(run), memory_of(run.roofs), compute_of(run.roofs, drawn_types(run)))


def data(run: Run) -> list[table.Row]:
    panel = panel_of(run)
    return rows_of(panel) if panel.spots else []


def rows_of(panel: Panel) -> list[table.Row]:
    """A row a case, then a row a ceiling."""
    across, by = "intensity", {HARDWARE: "by counters", EMULATED: "by emulated counts"}
    rows: list[table.Row] = [
        {
            "suite": spot.suite,
            "variant": spot.variant,
            "type": spot.dtype,
            "case": spot.point.name,
            table.unit(across, "FLOP/B"): spot.point.x,
        }
        | table.measured("rate", "FLOP/s", spot.point)
        | {table.unit(f"{across} {by[who]}", "FLOP/B"): x for who, x in spot.counted.items()}
        for spot in panel.spots
    ]
    for column, ceilings in (
        (table.unit("roof of memory", "B/s"), panel.memory),
        (table.unit("rate", "FLOP/s"), panel.compute),
    ):
        rows += [
            {"roof": f"{ceiling.name}, {roof.origin}", column: roof.value}
            for ceiling in ceilings
            for roof in (ceiling.measured, ceiling.datasheet)
            if roof
        ]
    return rows


def draw(run: Run, figure: Figure) -> bool:
    panel = panel_of(run)
    if not panel.spots:
        return False
    axes = figure.subplots()
    axes.set_ylabel("Rate, FLOP/s")
    axes.set_xlabel("Operational intensity, FLOP per byte that must move")
    say_missing(axes, panel, f"This run has no {{}}. To measure them:\n{measuring_roofs(run)}")
    draw_panels([axes], [panel], figure)
    return True


def say_missing(axes: Axes, panel: Panel, text: str) -> None:
    """Above the axes, in what `text` makes of the roofs that are missing; nothing where none
    are."""
    if missing := missing_roofs(panel):
        said = text.replace("{}", missing)
        title = axes.get_title(loc="left")
        axes.set_title(
            f"{title}\n{said}" if title else said, fontsize=11, fontweight="normal", loc="left"
        )


def missing_roofs(panel: Panel) -> str:
    """In words; empty where it has slopes and flat lines."""
    if panel.memory:
        return "" if panel.compute else "compute roofs"
    return "memory roofs" if panel.compute else "roofs"


def measuring_roofs(run: Run) -> str:
    """The command that measures the same suites and the roofs in one run."""
    suites = [str(suite) for suite in plot.distinct(spot.suite for spot in spots(run))]
    patterns = ["roofs", *suites] if len(suites) <= _FEW_SUITES else []  # else the whole profile
    device = ["--device", run.device.id] if run.device.id else []
    words = ["ridgeline", "run", *device, "--profile", run.profile, *patterns]
    return plot.shown(shlex.join(words), 100)


def draw_panels(grid: Sequence[Axes], panels: Sequence[Panel], figure: Figure) -> None:
    """All with the same limits, and one look a suite."""
    styles = plot.suite_styles(spot.suite for panel in panels for spot in panel.spots)
    across, up = limits(panels)
    for axes, panel in zip(grid, panels, strict=True):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(*across)
        axes.set_ylim(*up)
        _draw_ceilings(axes, panel.memory, panel.compute)
        _draw_spots(axes, panel.spots, styles)
        plot.log_ticks(axes.yaxis, units.prefixed)
        plot.log_ticks(axes.xaxis, units.plain)
        _name_flats(axes, panel.compute)
    _legend(figure, styles, panels)
    plot.settle(figure)  # settles the layout, which the names are placed in
    for axes, panel in zip(grid, panels, strict=True):
        _name(axes, panel.spots, styles, panel.memory)


def limits(panels: Sequence[Panel]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Of intensity and of rate, so that all spots, ridges and flat ceilings are seen."""
    points = [spot.point for panel in panels for spot in panel.spots]
    flat = [ceiling.highest for panel in panels for ceiling in panel.compute]
    ridges = [
        one.highest / panel.memory[0].highest
        for panel in panels
        if panel.memory
        for one in panel.compute
    ]
    counted = [x for panel in panels for spot in panel.spots for x in spot.counted.values()]
    across = [point.x for point in points] + counted
    left = min(across + [ridge / 12 for ridge in ridges])
    right = max(across + [ridge * 2 for ridge in ridges])
    rates = [point.y for point in points]
    # Names have room on the right.
    up = (min(rates) / 3, max(flat + rates) * 2)
    return _drawable(left / 1.5, right * 8), _drawable(*up)


def _drawable(low: float, high: float) -> tuple[float, float]:
    """Rates and intensities beyond these make no axis that can be read."""
    return max(low, 1e-24), min(high, 1e24)


def _draw_spots(axes: Axes, drawn: list[Spot], styles: dict[str, plot.Style]) -> None:
    for spot in drawn:
        style = styles[spot.suite]
        size, alpha, zorder = (9, 1, 5) if spot.best else (5, 0.5, 4)
        look = plot.dot(style.colour, style.marker, hollow=spot.point.hollow, markersize=size)
        axes.plot([spot.point.x], [spot.point.y], alpha=alpha, zorder=zorder, **look)
        for by, intensity in spot.counted.items():
            across, up = [spot.point.x, intensity], [spot.point.y] * 2
            axes.plot(across, up, color=style.colour, marker=_COUNTED_BY[by], **_COUNTED)


def _draw_ceilings(axes: Axes, memory: list[Ceiling], compute: list[Ceiling]) -> None:
    """Memory's slopes end at the highest flat line, flat lines begin at the first slope; caches'
    slopes are thin."""
    left, right = axes.get_xlim()
    flat = max((ceiling.highest for ceiling in compute), default=axes.get_ylim()[1])
    for index, ceiling in enumerate(memory):
        for roof in (ceiling.measured, ceiling.datasheet):
            if roof and left * roof.value < flat:
                end = min(right, flat / roof.value)
                axes.plot(
                    [left, end],
                    [left * roof.value, end * roof.value],
                    **_line(roof, thin=index > 0),
                )
    for ceiling in compute:
        for roof in (ceiling.measured, ceiling.datasheet):
            if roof:
                start = max(left, roof.value / memory[0].highest) if memory else left
                axes.plot([start, right], [roof.value, roof.value], **_line(roof))


def _line(roof: Roof, *, thin: bool = False) -> dict[str, object]:
    return {
        "color": plot.GREY if thin else plot.INK,
        "linewidth": 1.0 if thin else 1.6,
        "zorder": 2,
        "linestyle": plot.roof_dash(roof),
    }


def value_text(ceiling: Ceiling) -> str:
    """ "945 of 989 TFLOP/s": measured of datasheet, and the unit once where both have the same."""
    measured, datasheet = ceiling.measured, ceiling.datasheet
    if not measured or not datasheet:
        return measured.text if measured else f"{datasheet.text if datasheet else ''} (datasheet)"
    number, _, unit = measured.text.partition(" ")
    return f"{number if datasheet.text.endswith(' ' + unit) else measured.text} of {datasheet.text}"


def _name_flats(axes: Axes, compute: list[Ceiling]) -> None:
    """To the right of the axes, at the height of the line, moved apart where lines are close."""
    to_axes = axes.transScale + axes.transLimits
    right = axes.get_xlim()[1]
    heights = [float(to_axes.transform((right, ceiling.reached))[1]) for ceiling in compute]
    for ceiling, line, height in zip(
        compute, heights, labels.spread(heights, 0.115, 0.04, 0.96), strict=True
    ):
        axes.annotate(
            f"{plot.shown(ceiling.name, 24)}\n{plot.shown(value_text(ceiling), 40)}",
            (1, line),
            xytext=(1.015, height),
            xycoords="axes fraction",
            textcoords="axes fraction",
            va="center",
            fontsize=11,
            linespacing=1.1,
            color=plot.INK,
            annotation_clip=False,
        )


def _name(
    axes: Axes, drawn: list[Spot], styles: dict[str, plot.Style], memory: list[Ceiling]
) -> None:
    """Names slopes, DRAM's first, then points, the fastest first."""
    points = [(spot.point.x, spot.point.y) for spot in drawn]
    slopes = [
        annotate.Slope(
            ceiling.reached if index == 0 else ceiling.highest,
            _slope_name(ceiling),
            below=index == 0,
        )
        for index, ceiling in enumerate(memory)
    ]
    taken = annotate.name_slopes(axes, slopes, points)
    names = [
        annotate.Name(spot.point.x, spot.point.y, plot.shown(text, 30), styles[spot.suite].colour)
        for spot, text in _shared_names(axes, drawn)
    ]
    annotate.name_points(axes, names[:_MOST_NAMES], points, taken, _REACH)


def _slope_name(ceiling: Ceiling) -> str:
    return f"{ceiling.name} {plot.shown(value_text(ceiling), 40)}"


def _shared_names(axes: Axes, drawn: Iterable[Spot]) -> Sequence[tuple[Spot, str]]:
    """The best spots, the fastest first, with their names; types of a variant that lie side by side
    share one."""
    groups: list[list[Spot]] = []
    for spot in sorted((spot for spot in drawn if spot.best), key=lambda spot: -spot.point.y):
        at = annotate.in_points(axes, spot.point.x, spot.point.y)
        for group in groups:
            first = group[0]
            near = math.dist(at, annotate.in_points(axes, first.point.x, first.point.y)) < _NEAR
            if near and (first.suite, first.variant) == (spot.suite, spot.variant):
                group.append(spot)
                break
        else:
            groups.append([spot])
    return [
        (
            group[0],
            f"{group[0].variant} {', '.join(plot.dtype_order(spot.dtype for spot in group))}",
        )
        for group in groups
    ]


def _legend(figure: Figure, styles: dict[str, plot.Style], panels: Sequence[Panel]) -> None:
    entries: dict[str, Artist] = {
        plot.shown(suite): plot.handle(style, line=False) for suite, style in styles.items()
    }
    entries |= plot.hollow_entry(any(spot.point.hollow for panel in panels for spot in panel.spots))
    for by, marker in _COUNTED_BY.items():
        if any(by in spot.counted for panel in panels for spot in panel.spots):
            entries[f"by bytes of DRAM that {by} counted"] = Line2D(
                [], [], color=plot.GREY, marker=marker, linewidth=1.0, markersize=7, markevery=[0]
            )
    ceilings = [ceiling for panel in panels for ceiling in (*panel.memory, *panel.compute)]
    for measured in (True, False):
        for ceiling in ceilings:
            roof = ceiling.measured if measured else ceiling.datasheet
            if roof:
                entries[roof.origin] = Line2D(
                    [], [], color=plot.INK, linewidth=1.6, linestyle=plot.roof_dash(roof)
                )
    plot.legend_below(figure, entries)
