"""The rooflines of two devices side by side, with the same cases below both."""

from __future__ import annotations

import math
from dataclasses import dataclass

from matplotlib.figure import Figure

from reports import ceilings, compared, plot, table
from reports.figures import roofline
from reports.model import Roof
from reports.model_comparison import ComparedCase, Comparison, SideOfCase

OF = "comparison"
TITLE = "Rooflines side by side"
READING = (
    "A on the left, B on the right, with the same limits and the same cases: those with operations "
    "and bytes that were compared. Solid ceilings were measured on the device, dashed ones come "
    "from its datasheet; a name with 'of' gives both in that order. The fastest of each variant is "
    "large and named where there is room. A case that is as far below its ceilings on both sides "
    "is explained by the hardware."
)
ORDER = 10

_SIZE = (12.0, 6.4)  # inches: two panels, each with the names of its ceilings at its right


@dataclass(frozen=True)
class Page:
    title: str
    titles: tuple[str, str]
    panels: tuple[roofline.Panel, roofline.Panel]


def pages(comparison: Comparison) -> list[Page]:
    drawn = [case for case in comparison.cases if _is_drawn(case)]
    if not drawn:
        return []
    a, b = compared.sides(comparison)
    titles = ("A", "B") if (a, b) == ("A", "B") else (f"A: {a}", f"B: {b}")
    one_model = comparison.a.model == comparison.b.model
    about = f" · two runs of {plot.shown(comparison.a.model, 40)}" if one_model else ""
    panels = (
        panel([(case, case.a) for case in drawn], comparison.roofs_of("a")),
        panel([(case, case.b) for case in drawn], comparison.roofs_of("b")),
    )
    return [Page(TITLE + about, titles, panels)]


def _is_drawn(case: ComparedCase) -> bool:
    """On both sides or on none, so that the panels show the same cases."""
    workload = roofline.is_workload(case.suite, measures_roof=case.measures_roof)
    return (
        workload and case.ratio is not None and all(point(case, side) for side in (case.a, case.b))
    )


def point(case: ComparedCase, side: SideOfCase) -> plot.Point | None:
    """A side alone has no interval: that of the ratio needs both."""
    if not (side.median_ns and side.flops and side.bytes):
        return None
    intensity, rate = side.flops / side.bytes, side.flops / side.median_ns * 1e9
    if not all(0 < value < math.inf for value in (intensity, rate)):  # beyond what a double holds
        return None
    return plot.Point(intensity, rate, None, None, side.unsteady, case.case)


def panel(sides: list[tuple[ComparedCase, SideOfCase]], roofs: tuple[Roof, ...]) -> roofline.Panel:
    placed = [
        (case.suite, case.variant, case.dtype, at)
        for case, side in sides
        if (at := point(case, side))
    ]
    types = (one for case, side in sides for one in roofline.types(case.dtype, side.roof))
    compute = ceilings.compute_of(roofs, types)
    return roofline.Panel(roofline.with_best(placed), ceilings.memory_of(roofs), compute)


def data(page: Page) -> list[table.Row]:
    sides = zip(page.titles, page.panels, strict=True)
    return [{"side": title} | row for title, side in sides for row in roofline.rows_of(side)]


def draw(page: Page, figure: Figure) -> None:
    figure.set_size_inches(*_SIZE)
    figure.suptitle(page.title, x=0.012, ha="left")
    grid = figure.subplots(1, 2, sharey=True)
    for axes, title, side in zip(grid, page.titles, page.panels, strict=True):
        axes.set_title(title, fontsize=plot.RC["axes.labelsize"])
        roofline.say_missing(axes, side, "its run has no {}: measure the suite roofs, too")
        axes.set_xlabel("FLOP per byte that must move")
    grid[0].set_ylabel("Rate, FLOP/s")
    roofline.draw_panels(list(grid), page.panels, figure)
