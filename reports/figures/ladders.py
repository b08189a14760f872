"""Ladders as paths below the roofs: from the first rung to the last, one idea after the other."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

from reports import annotate, ceilings, climbs, labels, plot, table, units
from reports.climbs import Climb
from reports.figures import roofline
from reports.model import Case, Run

TITLE = "Ladders on the roofline"
READING = (
    "A path leads from the first rung of a ladder to the last; the number behind a name is that "
    "rung's rate over the rate of the rung before it. The star is what the ladder is set against: "
    "a vendor's library. Up is faster. To the right, fewer bytes of DRAM are moved for the same "
    "operations, where they were counted of all rungs; elsewhere the intensity is that of the "
    "problem, and the path goes straight up. A path is broken where a rung has no time. All panels "
    "have the same limits."
)
ORDER = 2

LEAST = "least bytes"
_BY = {
    roofline.HARDWARE: "DRAM by counters",
    roofline.EMULATED: "DRAM by emulated counts",
    LEAST: LEAST,
}
_MOST_PANELS, _COLUMNS = 9, 3
_WIDTH, _ROW, _REST = 13.0, 3.0, 1.5  # inches: of the figure, of a row, of what is above and below
_LEAST_WIDTH = 8.0
_TITLE, _SMALL = 10, 9  # points
_STAR = "\N{BLACK STAR}"
_LONGEST_NAME, _LONGEST_TITLE, _LONGEST_LINE = 26, 60, 150  # letters
_NAME_WIDTH, _TITLE_WIDTH = 140.0, 270.0  # points
_LEADER = {
    "arrowstyle": "-",
    "linewidth": 0.5,
    "alpha": 0.6,
    "shrinkA": 1,
    "shrinkB": 0,
    "relpos": (0, 0.5),
}
_GAP = 0.082  # of a panel's height, between two names
_MOST_NAMES = 11


@dataclass(frozen=True)
class Rung:
    """`number` is 0 for what the ladder is set against; `gain` is over the rung before."""

    number: int
    case: Case
    point: plot.Point
    gain: float | None = None


@dataclass(frozen=True)
class Ladder:
    """`by` says whose bytes the intensities are of."""

    climb: Climb
    by: str
    paths: tuple[tuple[Rung, ...], ...]
    reference: Rung | None

    @property
    def rungs(self) -> list[Rung]:
        return [rung for path in self.paths for rung in path]

    @property
    def marks(self) -> list[Rung]:
        return self.rungs + ([self.reference] if self.reference else [])


@dataclass(frozen=True)
class Drawn:
    """`left_out` are titles for which there is no room, `without` those without operations."""

    ladders: list[Ladder]
    left_out: list[str]
    without: list[str]


def drawn_of(run: Run) -> Drawn:
    several = [climb for climb in climbs.of(run) if len(climb.rungs) > 1]
    able = [climb for climb in several if all(_point(rung, LEAST) for rung in climb.rungs)]
    some, rest = climbs.by_turns(able, _MOST_PANELS)
    without = [climb.title for climb in several if climb not in able]
    return Drawn(
        sorted(map(_ladder, some), key=_place), sorted(climb.title for climb in rest), without
    )


def _place(ladder: Ladder) -> tuple[str, ...]:
    last = ladder.climb.rungs[-1]
    return (last.suite, last.dtype, ladder.climb.title)


def _ladder(climb: Climb) -> Ladder:
    against = [climb.reference] if climb.reference and _point(climb.reference, LEAST) else []
    counted = [roofline.counted_intensities(case) for case in climb.rungs + against]
    everywhere = [by for by in _BY if all(by in intensities for intensities in counted)]
    by = everywhere[0] if everywhere else LEAST
    numbers = itertools.count(1)
    paths = tuple(
        tuple(
            Rung(next(numbers), rung, point, _gain(before, rung))
            for before, rung in zip((None, *path), path, strict=False)
            if (point := _point(rung, by))
        )
        for path in climb.paths
    )
    reference = [Rung(0, case, point) for case in against if (point := _point(case, by))]
    return Ladder(climb, by, paths, reference[0] if reference else None)


def _point(case: Case, by: str) -> plot.Point | None:
    intensities = roofline.counted_intensities(case)
    if case.flops and case.bytes:
        intensities[LEAST] = case.flops / case.bytes
    return plot.rate_point(case, intensities.get(by), case.flop_rate)


def _gain(before: Case | None, rung: Case) -> float | None:
    return rung.flop_rate / before.flop_rate if before and before.flop_rate else None


def data(run: Run) -> list[table.Row]:
    return [
        {
            "ladder": ladder.climb.title,
            "rung": str(rung.number or "reference"),
            "type": rung.case.dtype,
            "case": rung.case.name,
            table.unit("intensity", "FLOP/B"): rung.point.x,
            "bytes": _BY[ladder.by],
        }
        | table.measured("rate", "FLOP/s", rung.point)
        | {table.unit("over the rung before", "1"): rung.gain}
        for ladder in drawn_of(run).ladders
        for rung in ladder.marks
    ]


def draw(run: Run, figure: Figure) -> bool:
    drawn = drawn_of(run)
    if not drawn.ladders:
        return False
    columns = min(_COLUMNS, len(drawn.ladders))
    rows = -(-len(drawn.ladders) // columns)
    figure.set_size_inches(max(_LEAST_WIDTH, _WIDTH / _COLUMNS * columns), rows * _ROW + _REST)
    grid = plot.grid(figure, len(drawn.ladders), columns)
    memory = [roof] if (roof := ceilings.of(run.roofs, "dram")) else []
    panels = [
        roofline.Panel(
            roofline.with_best(
                [
                    (one.case.suite, one.case.variant, one.case.dtype, one.point)
                    for one in ladder.marks
                ]
            ),
            memory,
            ceilings.compute_of(run.roofs, _types(ladder)),
        )
        for ladder in drawn.ladders
    ]
    across, up = roofline.limits(panels, names=1.0)
    for axes, ladder, panel in zip(grid, drawn.ladders, panels, strict=True):
        axes.set(xscale="log", yscale="log", xlim=across, ylim=up)
        axes.set_title(_title(axes, ladder), fontsize=_TITLE, fontweight="normal")
        axes.tick_params(labelsize=_SMALL)
        ceilings.draw(axes, panel.memory, panel.compute)
        plot.log_ticks(axes.yaxis, units.prefixed)
        plot.log_ticks(axes.xaxis, units.plain)
        _draw_paths(axes, ladder)
        _name_rungs(axes, ladder)
    for at, axes in enumerate(grid):
        axes.tick_params(labelleft=at % columns == 0)
    for axes in grid[-columns:]:
        axes.set_xlabel("FLOP per byte", fontsize=_TITLE)
    for axes in grid[::columns]:
        axes.set_ylabel("FLOP/s", fontsize=_TITLE)
    _legend(figure, drawn, panels)
    plot.settle(figure)
    for axes, ladder, panel in zip(grid, drawn.ladders, panels, strict=True):
        points = [(one.point.x, one.point.y) for one in ladder.marks]
        _name_flats(axes, panel)
        ceilings.name_slopes_small(axes, panel.memory, panel.compute, points, _SMALL)
    return True


def _types(ladder: Ladder) -> set[str]:
    cases = [one.case for one in ladder.marks]
    return {dtype for case in cases for dtype in roofline.types(case.dtype, case.roof)}


def _title(axes: Axes, ladder: Ladder) -> str:
    of = f"{ladder.climb.rungs[-1].dtype}, {_BY[ladder.by]}"
    return "\n".join(
        annotate.fitted(axes, text, _TITLE_WIDTH, _TITLE, _LONGEST_TITLE)
        for text in (ladder.climb.title, of)
    )


def _name_flats(axes: Axes, panel: roofline.Panel) -> None:
    """To the left of where a line begins, where no case is; above its right end where there is no
    room. Moved apart where lines are close."""
    to_axes = axes.transScale + axes.transLimits
    heights = [float(to_axes.transform((1, one.highest))[1]) for one in panel.compute]
    for one, height in zip(panel.compute, labels.spread(heights, _GAP, 0.0, 1.0), strict=True):
        name = plot.shown(one.name, 24)
        start = one.highest / panel.memory[0].highest if panel.memory else axes.get_xlim()[0]
        begins = float(to_axes.transform((start, 1))[0])
        room = begins * axes.bbox.width * 72 / axes.figure.dpi
        left = room > annotate.width_of(axes, name, _SMALL) + 4
        axes.text(
            begins - 0.02 if left else 1,
            height if left else height + 0.01,
            name,
            transform=axes.transAxes,
            ha="right",
            va="center" if left else "bottom",
            fontsize=_SMALL,
            color=plot.INK,
            path_effects=[withStroke(linewidth=2, foreground="white")],
        )


def _draw_paths(axes: Axes, ladder: Ladder) -> None:
    for path in ladder.paths:
        places = [(rung.point.x, rung.point.y) for rung in path]
        axes.plot(*zip(*places, strict=True), color=plot.BLUE, linewidth=1.2, zorder=3)
        for rung in path:
            look = plot.dot(plot.BLUE, "o", hollow=rung.point.hollow, markersize=5)
            axes.plot([rung.point.x], [rung.point.y], zorder=5, **look)
    if one := ladder.reference:
        look = plot.dot(plot.INK, "*", hollow=one.point.hollow, markersize=9)
        axes.plot([one.point.x], [one.point.y], zorder=4, **look)


def _name_rungs(axes: Axes, ladder: Ladder) -> None:
    """To the right of the panel, as high as the rungs where there is room; of very many the first
    and the last."""
    rungs = ladder.rungs
    named = rungs if len(rungs) <= _MOST_NAMES else [rungs[0], *rungs[1 - _MOST_NAMES :]]
    named += [ladder.reference] if ladder.reference else []
    to_axes = axes.transScale + axes.transLimits
    heights = [float(to_axes.transform((1, one.point.y))[1]) for one in named]
    spread = labels.spread(heights, _GAP, _GAP / 2, 1 - _GAP / 2)
    said = climbs.labels(ladder.climb)
    for one, height in zip(named, spread, strict=True):
        gain = f" {units.plain(one.gain, trim='k')}\N{MULTIPLICATION SIGN}" if one.gain else ""
        name = said[one.case.name] if one.number else one.case.variant
        name = annotate.fitted(axes, name, _NAME_WIDTH, _SMALL, _LONGEST_NAME)
        colour = plot.BLUE if one.number else plot.INK
        axes.annotate(
            f"{one.number or _STAR} {name}{gain}",
            (one.point.x, one.point.y),
            xytext=(1.04, height),
            textcoords="axes fraction",
            va="center",
            fontsize=_SMALL,
            color=colour,
            annotation_clip=False,
            arrowprops=_LEADER | {"color": colour},
        )


def _left_out(drawn: Drawn) -> str:
    """What is not drawn, in a few lines."""
    reasons = (("For want of room", drawn.left_out), ("Without operations", drawn.without))
    return "\n".join(
        textwrap.fill(
            f"{why}, {len(titles)} not drawn: "
            + "; ".join(plot.shown(title, _LONGEST_TITLE) for title in titles),
            _LONGEST_LINE,
            max_lines=2,
            placeholder=" ...",
        )
        for why, titles in reasons
        if titles
    )


def _legend(figure: Figure, drawn: Drawn, panels: Sequence[roofline.Panel]) -> None:
    dot = plot.dot(plot.BLUE, "o", markersize=9)
    entries: dict[str, Artist] = {"rung": Line2D([], [], **dot | {"linestyle": "-"})}
    if any(ladder.reference for ladder in drawn.ladders):
        star = plot.dot(plot.INK, "*", markersize=11)
        entries["what it is set against"] = Line2D([], [], **star)
    marks = [one for ladder in drawn.ladders for one in ladder.marks]
    entries |= plot.hollow_entry(any(one.point.hollow for one in marks))
    entries |= ceilings.legend_entries(
        one for panel in panels for one in (*panel.memory, *panel.compute)
    )
    plot.legend_below(figure, entries)
    if said := _left_out(drawn):
        figure.legends[0].set_title(said, prop={"size": _SMALL})
