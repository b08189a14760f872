"""Two runs of one device model, before and after: arrows below the roofs, of the cases that changed
most."""

from __future__ import annotations

import math
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reports import annotate, ceilings, compared, plot, table, units
from reports.figures import roofline, rooflines
from reports.model_comparison import ComparedCase, Comparison

OF = "comparison"
TITLE = "What changed below the roofs"
READING = (
    "An arrow leads from A to B: up is faster. Only cases with operations and bytes are drawn "
    "whose time changed by 5% or more, by a ratio whose 95% interval leaves out 1; of each variant "
    "and type the one that changed most. It is no verdict: a gate decides."
)
ORDER = 15

_LEAST = math.log(1.05)  # less is no arrow on an axis of decades
_MOST = 12
_REACH = 70.0  # points from a mark to its name
_FASTER, _SLOWER = ("^", plot.BLUE), ("v", plot.VERMILLION)


@dataclass(frozen=True)
class Arrow:
    case: ComparedCase
    a: plot.Point
    b: plot.Point
    ratio: float

    @property
    def faster(self) -> bool:
        return self.ratio < 1

    @property
    def hollow(self) -> bool:
        return self.a.hollow or self.b.hollow


@dataclass(frozen=True)
class Page:
    """`sides` tells A from B; `panel` has the ceilings of one of them and, as spots, both ends of
    each arrow; `more` cases changed and are not drawn."""

    title: str
    sides: str
    ceilings_of: str
    arrows: list[Arrow]
    more: int
    panel: roofline.Panel


def pages(comparison: Comparison) -> list[Page]:
    if comparison.a.model != comparison.b.model:
        return []
    changed = sorted(
        (arrow for case in comparison.cases if (arrow := _arrow(case))),
        key=lambda arrow: -abs(math.log(arrow.ratio)),
    )
    most = {(one.case.suite, one.case.variant, one.case.dtype): one for one in reversed(changed)}
    drawn = [arrow for arrow in changed if arrow in most.values()][:_MOST]
    if not drawn:
        return []
    a, b = compared.sides(comparison)
    side = "b" if comparison.roofs_of("b") else "a"
    panel = rooflines.panel(
        [(one.case, end) for one in drawn for end in (one.case.a, one.case.b)],
        tuple(comparison.roofs_of(side)),
    )
    title = f"{TITLE} · two runs of {plot.shown(comparison.a.model, 40)}"
    sides = "" if (a, b) == ("A", "B") else f"A: {a}; B: {b}"
    return [Page(title, sides, side.upper(), drawn, len(changed) - len(drawn), panel)]


def _arrow(case: ComparedCase) -> Arrow | None:
    known = case.ratio and case.ratio_low and case.ratio_high
    if not known or case.ratio_low <= 1 <= case.ratio_high:
        return None
    a, b = (rooflines.point(case, side) for side in (case.a, case.b))
    large = abs(math.log(case.ratio)) >= _LEAST
    workload = roofline.is_workload(case.suite, measures_roof=case.measures_roof)
    return Arrow(case, a, b, case.ratio) if workload and large and a and b else None


def data(page: Page) -> list[table.Row]:
    return [
        {
            "suite": one.case.suite,
            "variant": one.case.variant,
            "type": one.case.dtype,
            "case": one.case.case,
            table.unit("intensity of A", "FLOP/B"): one.a.x,
            table.unit("rate of A", "FLOP/s"): one.a.y,
            table.unit("intensity of B", "FLOP/B"): one.b.x,
            table.unit("rate of B", "FLOP/s"): one.b.y,
            table.unit("time of B over A", "1"): one.ratio,
            table.unit("time of B over A low", "1"): one.case.ratio_low,
            table.unit("time of B over A high", "1"): one.case.ratio_high,
            "steady": table.steady(hollow=one.hollow),
        }
        for one in page.arrows
    ] + roofline.rows_of_roofs(page.panel)


def draw(page: Page, figure: Figure) -> None:
    figure.suptitle(page.title, x=0.012, ha="left")
    axes = figure.subplots()
    across, up = roofline.limits([page.panel])
    axes.set(xscale="log", yscale="log", xlim=across, ylim=up)
    axes.set_ylabel("Rate, FLOP/s")
    axes.set_xlabel("Operational intensity, FLOP per byte that must move")
    more = f"{page.more} more changed and are in the table" if page.more else ""
    if page.sides or more:
        roofline.say(axes, "\n".join(filter(None, (page.sides, more))))
    ceilings.draw(axes, page.panel.memory, page.panel.compute)
    for one in page.arrows:
        marker, colour = _FASTER if one.faster else _SLOWER
        axes.plot([one.a.x, one.b.x], [one.a.y, one.b.y], color=colour, linewidth=1.6, zorder=4)
        axes.plot([one.a.x], [one.a.y], zorder=5, **plot.dot(colour, "o", markersize=4))
        look = plot.dot(colour, marker, hollow=one.hollow, markersize=9)
        axes.plot([one.b.x], [one.b.y], zorder=6, **look)
    plot.log_ticks(axes.yaxis, units.prefixed)
    plot.log_ticks(axes.xaxis, units.plain)
    ceilings.name_flats(axes, page.panel.compute)
    plot.legend_below(figure, _entries(page))
    plot.settle(figure)
    points = [(end.x, end.y) for one in page.arrows for end in (one.a, one.b)]
    taken = ceilings.name_slopes(axes, page.panel.memory, page.panel.compute, points)
    names = [
        annotate.Name(one.b.x, one.b.y, _name(one), (_FASTER if one.faster else _SLOWER)[1])
        for one in page.arrows
    ]
    annotate.name_points(axes, names, points, taken, _REACH)


def _name(arrow: Arrow) -> str:
    percent = f"{(arrow.ratio - 1) * 100:+.0f}%".replace("-", "\N{MINUS SIGN}")
    return f"{plot.shown(f'{arrow.case.variant} {arrow.case.dtype}', 30)}, time {percent}"


def _entries(page: Page) -> dict[str, Artist]:
    entries: dict[str, Artist] = {}
    for text, faster, (marker, colour) in (
        ("B is faster", True, _FASTER),
        ("B is slower", False, _SLOWER),
    ):
        if any(one.faster == faster for one in page.arrows):
            entries[text] = Line2D([], [], color=colour, marker=marker, linewidth=1.6)
    entries |= plot.hollow_entry(any(one.hollow for one in page.arrows))
    entries |= {
        f"{origin} (ceilings of {page.ceilings_of})": line
        for origin, line in ceilings.legend_entries(
            [*page.panel.memory, *page.panel.compute]
        ).items()
    }
    return entries
