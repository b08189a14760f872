"""Rate against operational intensity, below the ceilings of the device (Williams, Waterman and Patterson, 2009)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Annotation

from reports import annotate, labels, plot, units
from reports.model import Case, Roof, Run

TITLE = "Roofline"
READING = (
    "A case can rise to the slope (memory) or to the flat line of its type (compute), whichever is lower. Solid "
    "ceilings were measured on this device, dashed ones come from its datasheet. Only cases with operations and bytes "
    "are drawn; the fastest of each variant is large and named."
)
ORDER = 0

_MEMORY_LEVELS = ("dram", "llc", "l1")
_MOST_NAMES = 14


@dataclass(frozen=True)
class Spot:
    """One case: intensity in FLOP/B, rate in FLOP/s. `label` is empty unless it is the fastest of its variant."""

    suite: str
    point: plot.Point
    label: str


@dataclass(frozen=True)
class Ceiling:
    """A roof of this device at one level: what was measured, what the datasheet says, or both."""

    name: str
    measured: Roof | None
    datasheet: Roof | None

    @property
    def highest(self) -> float:
        return max(roof.value for roof in (self.measured, self.datasheet) if roof)


def _is_drawn(case: Case) -> bool:
    """Cases that measure a ceiling are the ceilings, and are not drawn below them."""
    return bool(case.measured and case.flops and case.bytes and not case.measures_roof)


def spots(run: Run) -> list[Spot]:
    placed: list[tuple[Case, plot.Point]] = []
    for case in run.cases:
        if _is_drawn(case):
            point = plot.rate_point(case, case.flops / case.bytes, case.flop_rate)
            if point:
                placed.append((case, point))
    fastest: dict[tuple[str, str, str], plot.Point] = {}
    for case, point in placed:
        group = (case.suite, case.variant, case.dtype)
        if group not in fastest or point.y > fastest[group].y:
            fastest[group] = point
    return [
        Spot(
            case.suite,
            point,
            f"{case.variant} {case.dtype}" if fastest[(case.suite, case.variant, case.dtype)] is point else "",
        )
        for case, point in placed
    ]


def memory_ceilings(run: Run) -> list[Ceiling]:
    found = []
    for level in _MEMORY_LEVELS:
        measured, datasheet = run.roof(level, measured=True), run.roof(level, measured=False)
        if measured or datasheet:
            found.append(Ceiling(level, measured, datasheet))
    return found


def compute_ceilings(run: Run) -> list[Ceiling]:
    """The ceilings that a type of a drawn case has: tensor.<dtype> and fma.<dtype>."""
    dtypes = {case.dtype for case in run.cases if _is_drawn(case)}
    found = []
    for dtype in plot.distinct(dtypes):
        for kind in (f"tensor.{dtype}", f"fma.{dtype}"):
            measured, datasheet = run.roof(kind, measured=True), run.roof(kind, measured=False)
            if measured or datasheet:
                found.append(Ceiling(kind, measured, datasheet))
    return found


def draw(run: Run, figure: Figure) -> bool:
    drawn = spots(run)
    if not drawn:
        return False
    axes = figure.subplots()
    memory, compute = memory_ceilings(run), compute_ceilings(run)
    _set_limits(axes, drawn, memory, compute)
    _draw_ceilings(axes, memory, compute)
    suites = [str(suite) for suite in plot.distinct(spot.suite for spot in drawn)]
    styles = {
        suite: plot.Style(plot.COLOURS[index % len(plot.COLOURS)], plot.MARKERS[index % len(plot.MARKERS)], "none")
        for index, suite in enumerate(suites)
    }
    for spot in drawn:
        style = styles[spot.suite]
        axes.plot(
            [spot.point.x],
            [spot.point.y],
            marker=style.marker,
            markersize=9 if spot.label else 5,
            alpha=1 if spot.label else 0.5,
            color=style.colour,
            markerfacecolor="white" if spot.point.hollow else style.colour,
            linestyle="none",
            zorder=5 if spot.label else 4,
        )
    axes.set_xlabel("Operational intensity, FLOP per byte that must move")
    axes.set_ylabel("Rate, FLOP/s")
    plot.log_ticks(axes.yaxis, units.prefixed)
    plot.log_ticks(axes.xaxis, units.plain)
    _legend(axes, styles, drawn, memory, compute)
    figure.draw_without_rendering()  # settles the layout, which the names are placed in
    slopes = [text for index, ceiling in enumerate(memory) for text in _name_slope(axes, ceiling, below=index == 0)]
    named = sorted((spot for spot in drawn if spot.label), key=lambda spot: -spot.point.y)[:_MOST_NAMES]
    names = [
        annotate.Name(spot.point.x, spot.point.y, plot.shown(spot.label, 26), styles[spot.suite].colour)
        for spot in named
    ]
    annotate.name_points(axes, names, [(spot.point.x, spot.point.y) for spot in drawn], slopes)
    return True


def _set_limits(axes: Axes, drawn: list[Spot], memory: list[Ceiling], compute: list[Ceiling]) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    xs, ys = [spot.point.x for spot in drawn], [spot.point.y for spot in drawn]
    top = max([ceiling.highest for ceiling in compute] + ys)
    lows, highs = [min(xs)], [max(xs)]
    if memory and compute:
        ridges = [ceiling.highest / memory[0].highest for ceiling in compute]
        lows.append(min(ridges) / 12)
        highs.append(max(ridges) * 2)
    axes.set_xlim(min(lows) / 1.5, max(highs) * 2)
    axes.set_ylim(min(ys) / 3, top * 2)


def _draw_ceilings(axes: Axes, memory: list[Ceiling], compute: list[Ceiling]) -> None:
    left, right = axes.get_xlim()
    top = axes.get_ylim()[1]
    flat = max((ceiling.highest for ceiling in compute), default=top)
    for ceiling in memory:
        for roof in (ceiling.measured, ceiling.datasheet):
            if roof and left * roof.value < flat:
                end = min(right, flat / roof.value)
                axes.plot([left, end], [left * roof.value, end * roof.value], **_line(roof))
    names: list[tuple[float, str]] = []
    for ceiling in compute:
        for roof in (ceiling.measured, ceiling.datasheet):
            if roof:
                start = max(left, roof.value / memory[0].highest) if memory else left
                axes.plot([start, right], [roof.value, roof.value], **_line(roof))
        names.append((ceiling.highest, _name(ceiling, units.flop_rate)))
    _name_flats(axes, names)


def _line(roof: Roof) -> dict[str, object]:
    return {"color": plot.INK, "linewidth": 1.8, "zorder": 2, "linestyle": "-" if roof.measured else plot.DASHES[1]}


def _name(ceiling: Ceiling, rate: Callable[[float], str]) -> str:
    if ceiling.measured and ceiling.datasheet:
        return f"{ceiling.name} {rate(ceiling.measured.value)}\n(datasheet {rate(ceiling.datasheet.value)})"
    if ceiling.measured:
        return f"{ceiling.name} {rate(ceiling.measured.value)}"
    return f"{ceiling.name} (datasheet)\n{rate(ceiling.highest)}"


def _name_slope(axes: Axes, ceiling: Ceiling, *, below: bool) -> list[Annotation]:
    """Along the slope, near its lower end: below the lowest slope, above the others."""
    left, right = axes.get_xlim()
    bottom, top = axes.get_ylim()
    value = (ceiling.measured or ceiling.datasheet).value if below else ceiling.highest  # type: ignore[union-attr]
    start = max(left, bottom / value) * (right / left) ** 0.02
    if start * value >= top / 4:
        return []  # too short to be named; the figure of the ceilings names it
    from_, to = annotate.in_points(axes, start, start * value), annotate.in_points(axes, 2 * start, 2 * start * value)
    angle = math.atan2(to[1] - from_[1], to[0] - from_[0])
    away = -12 if below else 5
    text = axes.annotate(
        _name(ceiling, units.byte_rate).replace("\n", " ").replace("datasheet ", "sheet "),
        (start, start * value),
        xytext=(-away * math.sin(angle), away * math.cos(angle)),
        textcoords="offset points",
        rotation=math.degrees(angle),
        rotation_mode="anchor",
        ha="left",
        va="baseline",
        fontsize=11,
        color=plot.INK,
        clip_on=True,
    )
    text.set_in_layout(False)
    return [text]


def _name_flats(axes: Axes, names: list[tuple[float, str]]) -> None:
    """To the right of the axes, at the height of the line, moved apart where lines are close."""
    to_axes = axes.transScale + axes.transLimits
    heights = [float(to_axes.transform((axes.get_xlim()[1], value))[1]) for value, _ in names]
    for (value, text), height in zip(names, labels.spread(heights, 0.105, 0.03, 0.97), strict=True):
        axes.annotate(
            text,
            (1, float(to_axes.transform((axes.get_xlim()[1], value))[1])),
            xytext=(1.02, height),
            xycoords="axes fraction",
            textcoords="axes fraction",
            va="center",
            fontsize=11,
            color=plot.INK,
            annotation_clip=False,
        )


def _legend(
    axes: Axes, styles: dict[str, plot.Style], drawn: list[Spot], memory: list[Ceiling], compute: list[Ceiling]
) -> None:
    handles: list[Line2D] = [plot.handle(style, line=False) for style in styles.values()]
    texts = [plot.shown(suite) for suite in styles]
    if any(spot.point.hollow for spot in drawn):
        handles.append(plot.hollow_handle())
        texts.append(plot.HOLLOW_LABEL)
    for text, roofs in (
        ("measured", [ceiling.measured for ceiling in memory + compute]),
        ("datasheet", [ceiling.datasheet for ceiling in memory + compute]),
    ):
        some = next((roof for roof in roofs if roof), None)
        if some:
            line = _line(some)
            handles.append(Line2D([], [], color=plot.INK, linewidth=1.8, linestyle=line["linestyle"]))
            texts.append(text)
    axes.legend(
        handles, texts, loc="lower left", bbox_to_anchor=(0, 1.0), ncols=6, columnspacing=1.4, handletextpad=0.5
    )
