"""Rate against operational intensity, below the ceilings of the device (Williams, Waterman and
Patterson, 2009)."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reports import annotate, ceilings, plot, table, units
from reports.model import Case, Ceiling, Run

TITLE = "Roofline"
READING = (
    "A case can rise to the slope (memory) or to the flat line of its type (compute), whichever is "
    "lower. Solid ceilings were measured on this device (dots and dashes: not steadily), dashed "
    "ones come from its datasheet; a name with 'of' gives both in that order. Only cases with "
    "operations and bytes are drawn, and no multiply-adds that just fill registers; the fastest of "
    "each variant is large and named where there is room. Where bytes were counted, a line leads "
    "from there to the operations per byte that really moved between DRAM and L2."
)
ORDER = 0

_MOST_NAMES = 14
_FEW_SUITES = 4  # that a command names
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


def is_drawn(case: Case) -> bool:
    workload = is_workload(case.suite, measures_roof=bool(case.measures_roof))
    return bool(workload and case.measured and case.flops and case.bytes)


def spots(run: Run) -> list[Spot]:
    placed, counted = [], []
    for case in run.cases:
        if is_drawn(case):
            point = plot.rate_point(case, case.flops / case.bytes, case.flop_rate)
            if point:
                placed.append((case.suite, case.variant, case.dtype, point))
                counted.append(counted_intensities(case))
    return [
        replace(spot, counted=one) for spot, one in zip(with_best(placed), counted, strict=True)
    ]


def counted_intensities(case: Case) -> dict[str, float]:
    """Operations of the problem per byte that moved between DRAM and L2, by who counted."""
    moved = dram_bytes(case).items()
    intensities = {by: (case.flops or 0) / total for by, total in moved if total}
    return {by: x for by, x in intensities.items() if 0 < x < math.inf}


def dram_bytes(case: Case) -> dict[str, float]:
    """Those between DRAM and L2, by who counted: in both cases from empty caches on, so that they
    say nothing of a hot one."""
    if case.options.get("cache") == "hot":
        return {}
    ways = [case.metric(f"hardware_dram_{way}_bytes") for way in ("read", "written")]
    hardware = sum(way for way in ways if way is not None) if None not in ways else None
    moved = {HARDWARE: hardware, EMULATED: case.counted_dram_bytes}
    return {by: total for by, total in moved.items() if total is not None}


def with_best(placed: Sequence[tuple[str, str, str, plot.Point]]) -> list[Spot]:
    """Spots of (suite, variant, type, point)."""
    fastest: dict[tuple[str, ...], plot.Point] = {}
    for *group, point in placed:
        best = fastest.setdefault(tuple(group), point)
        if point.y > best.y:
            fastest[tuple(group)] = point
    return [Spot(*group, point, fastest[tuple(group)] is point) for *group, point in placed]


def drawn_types(run: Run) -> list[str]:
    return [dtype for case in run.cases if is_drawn(case) for dtype in types(case.dtype, case.roof)]


def types(dtype: str, roof: str) -> set[str]:
    """That of a case, and that in which it computes where its roof says another one."""
    unit, _, computes = roof.partition(".")
    return {dtype, computes} if unit in ("fma", "tensor") else {dtype}


def panel_of(run: Run) -> Panel:
    return Panel(
        spots(run), ceilings.memory_of(run.roofs), ceilings.compute_of(run.roofs, drawn_types(run))
    )


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
    return rows + rows_of_roofs(panel)


def rows_of_roofs(panel: Panel) -> list[table.Row]:
    rows: list[table.Row] = []
    for column, some in (
        (table.unit("roof of memory", "B/s"), panel.memory),
        (table.unit("rate", "FLOP/s"), panel.compute),
    ):
        rows += [
            {"roof": f"{ceiling.name}, {roof.origin}", column: roof.value}
            for ceiling in some
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
    if lacking := lack(run, panel):
        shown = f"{lacking.words} {lacking.to}{lacking.between}{plot.shown(lacking.command, 100)}"
        say(axes, shown.rstrip())
    draw_panels([axes], [panel], figure)
    return True


@dataclass(frozen=True)
class Lack:
    """What a run has not, in a sentence, and the command that gets it; `to` is what for, and
    `between` what keeps both apart in a figure."""

    words: str
    to: str
    between: str
    command: str


def lack(run: Run, panel: Panel) -> Lack | None:
    """The roofs, or without counters what moved; None where a roofline has all that it shows. Of
    what was imported without a command."""
    missing = missing_roofs(panel)
    if run.imported:  # which Ridgeline cannot measure
        return Lack(f"This run has no {missing}.", "", "", "") if missing else None
    if missing:
        return Lack(f"This run has no {missing}.", "To measure them:", "\n", measuring_roofs(run))
    if _lacks_counts(run, panel):
        return Lack("What moved was not counted.", "To count it:", " ", counting(run))
    return None


def say_missing(axes: Axes, panel: Panel, text: str) -> None:
    """Above the axes, in what `text` makes of the roofs that are missing; nothing where none
    are."""
    if missing := missing_roofs(panel):
        say(axes, text.replace("{}", missing))


def say(axes: Axes, text: str) -> None:
    """Above the axes, below the title that they have."""
    title = axes.get_title(loc="left")
    axes.set_title(
        f"{title}\n{text}" if title else text, fontsize=11, fontweight="normal", loc="left"
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
    return shlex.join(words)


def _lacks_counts(run: Run, panel: Panel) -> bool:
    """On a GPU: no other device has counters that are read."""
    return run.device.kind == "cuda" and not any(spot.counted for spot in panel.spots)


def counting(run: Run) -> str:
    """The command that reads the counters of a run's cases, without measuring them again."""
    return shlex.join(["ridgeline", "run", "--resume", run.id, "--counters"])


def draw_panels(
    grid: Sequence[Axes],
    panels: Sequence[Panel],
    figure: Figure,
    more: Mapping[str, Artist] | None = None,
) -> None:
    """All with the same limits, and one look a suite; `more` is in the legend, too."""
    styles = plot.suite_styles(spot.suite for panel in panels for spot in panel.spots)
    across, up = limits(panels)
    for axes, panel in zip(grid, panels, strict=True):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(*across)
        axes.set_ylim(*up)
        ceilings.draw(axes, panel.memory, panel.compute)
        _draw_spots(axes, panel.spots, styles)
        plot.log_ticks(axes.yaxis, units.prefixed)
        plot.log_ticks(axes.xaxis, units.plain)
    for panel, axes, after in zip(panels, grid, [*panels[1:], None], strict=True):
        if not after or after.compute != panel.compute:  # else the names to its right are its own
            ceilings.name_flats(axes, panel.compute)
    _legend(figure, styles, panels, more or {})
    plot.settle(figure)  # settles the layout, which the names are placed in
    for axes, panel in zip(grid, panels, strict=True):
        _name(axes, panel, styles)


def limits(
    panels: Sequence[Panel], names: float = 4.0
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Of intensity and of rate, so that all spots, ridges and flat ceilings are seen; names have so
    many times as much room on the right."""
    points = [spot.point for panel in panels for spot in panel.spots]
    flat = [ceiling.highest for panel in panels for ceiling in panel.compute]
    ridges = [
        one.highest / panel.memory[0].highest
        for panel in panels
        if panel.memory
        for one in panel.compute
    ]
    # Of each slope a part below the highest flat line.
    starts = [
        max(one.highest for one in panel.compute) / (4 * slope.highest)
        for panel in panels
        if panel.compute
        for slope in panel.memory
    ]
    counted = [x for panel in panels for spot in panel.spots for x in _shown_counts(spot).values()]
    across = [point.x for point in points] + counted
    left = min(across + [ridge / 12 for ridge in ridges] + starts)
    right = max(across + [ridge * 2 for ridge in ridges])
    rates = [point.y for point in points]
    up = (min(rates) / 3, max(flat + rates) * 3)
    return _drawable(left / 1.5, right * 2 * names), _drawable(*up)


def _drawable(low: float, high: float) -> tuple[float, float]:
    """Rates and intensities beyond these make no axis that can be read."""
    return max(low, 1e-24), min(high, 1e24)


def _draw_spots(axes: Axes, drawn: list[Spot], styles: dict[str, plot.Style]) -> None:
    for spot in drawn:
        style = styles[spot.suite]
        size, alpha, zorder = (9, 1, 5) if spot.best else (5, 0.5, 4)
        look = plot.dot(style.colour, style.marker, hollow=spot.point.hollow, markersize=size)
        axes.plot([spot.point.x], [spot.point.y], alpha=alpha, zorder=zorder, **look)
        for by, intensity in _shown_counts(spot).items():
            across, up = [spot.point.x, intensity], [spot.point.y] * 2
            axes.plot(across, up, color=style.colour, marker=_COUNTED_BY[by], **_COUNTED)


def _shown_counts(spot: Spot) -> dict[str, float]:
    """A line for each case would hide the cases."""
    return spot.counted if spot.best else {}


def _name(axes: Axes, panel: Panel, styles: dict[str, plot.Style]) -> None:
    """Names slopes, DRAM's first, then points, the fastest first."""
    points = [(spot.point.x, spot.point.y) for spot in panel.spots]
    taken = ceilings.name_slopes(axes, panel.memory, panel.compute, points)
    names = [
        annotate.Name(spot.point.x, spot.point.y, plot.shown(text, 30), styles[spot.suite].colour)
        for spot, text in _shared_names(axes, panel.spots)
    ]
    annotate.name_points(axes, names[:_MOST_NAMES], points, taken, _REACH)


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


def _legend(
    figure: Figure,
    styles: dict[str, plot.Style],
    panels: Sequence[Panel],
    more: Mapping[str, Artist],
) -> None:
    entries: dict[str, Artist] = {
        plot.shown(suite): plot.handle(style, line=False) for suite, style in styles.items()
    }
    entries |= plot.hollow_entry(any(spot.point.hollow for panel in panels for spot in panel.spots))
    for by, marker in _COUNTED_BY.items():
        if any(by in _shown_counts(spot) for panel in panels for spot in panel.spots):
            entries[f"by bytes of DRAM that {by} counted"] = Line2D(
                [], [], color=plot.GREY, marker=marker, linewidth=1.0, markersize=7, markevery=[0]
            )
    entries |= more
    entries |= ceilings.legend_entries(
        ceiling for panel in panels for ceiling in (*panel.memory, *panel.compute)
    )
    plot.legend_below(figure, entries)
