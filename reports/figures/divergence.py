"""What it costs when the lanes of a warp take different paths: time, or requests, over the number
of ways."""

from __future__ import annotations

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reports import plot, table, units
from reports.model import Case, Run

TITLE = "Divergence"
READING = (
    "The same arithmetic on 1 to 32 paths through the code. Where the lanes of a warp take them "
    "apart (by lane), the warp takes one path after the other, in as many times the instructions "
    "and requests (dashed); where whole warps do (by warp), nothing is idle."
)
ORDER = 32

_PROPORTION = {"color": plot.GREY, "linestyle": plot.DASHES[1], "linewidth": 1.4}


def _series(cases: list[Case], point: object) -> list[plot.Series]:
    styles = plot.variant_styles(cases)
    return plot.series(
        cases,
        key=lambda case: (case.variant, case.dtype),
        point=point,
        label=lambda key: plot.shown(str(key[0]).replace("_", " ")),
        style=lambda key: styles[str(key[0])],
    )


def times(run: Run) -> list[plot.Series]:
    """ns over the number of ways, of measured cases."""
    return _series(
        run.of_suite("divergence"), lambda case: plot.time_point(case, case.field("ways"))
    )


def requests(run: Run) -> list[plot.Series]:
    """Requests of global memory over the number of ways, of counted cases."""

    def counted(case: Case) -> float | None:
        parts = [case.metric(f"global_{kind}_requests") for kind in ("load", "store")]
        return sum(part for part in parts if part is not None) or None

    cases = [case for case in run.cases if case.suite == "divergence" and case.outcome == "counted"]
    return _series(cases, lambda case: plot.fact_point(case, case.field("ways"), counted(case)))


def slowest_allowed(drawn: list[plot.Series]) -> list[tuple[float, float]]:
    """In proportion to the ways, from the least that one way takes."""
    least = min((point.y for one in drawn for point in one.points if point.x == 1), default=None)
    ways = sorted({point.x for one in drawn for point in one.points})
    return [(way, least * way) for way in ways] if least is not None and len(ways) > 1 else []


def data(run: Run) -> list[table.Row]:
    across = table.unit("ways", "1")
    return [
        *table.of_series("time", across, "time", "ns", times(run)),
        *table.of_series("requests", across, "global requests", "1", requests(run)),
    ]


def draw(run: Run, figure: Figure) -> bool:
    panels = [panel for panel in (("time", times(run)), ("requests", requests(run))) if panel[1]]
    if not panels:
        return False
    handles: dict[str, Artist] = {}
    for axes, (what, drawn) in zip(
        plot.grid(figure, len(panels), len(panels)), panels, strict=True
    ):
        _draw_panel(axes, drawn, what)
        axes.set_title(what.capitalize())
        handles |= {one.label: plot.handle(one.style) for one in drawn}
        if slowest_allowed(drawn):
            handles["one path after the other"] = Line2D([], [], **_PROPORTION)
        handles |= plot.hollow_entry(plot.any_hollow(drawn))
    plot.legend_below(figure, handles)
    return True


def _draw_panel(axes: Axes, drawn: list[plot.Series], what: str) -> None:
    line = slowest_allowed(drawn)
    most = max([point.y for one in drawn for point in one.points] + [y for _, y in line])
    scale, unit = plot.unit_scale([most], "ns") if what == "time" else (1.0, "")
    if line:
        axes.plot([x for x, _ in line], [y * scale for _, y in line], **_PROPORTION)
    plot.draw(axes, drawn, scale)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    plot.ticks(axes.xaxis, [point.x for one in drawn for point in one.points], units.count)
    axes.yaxis.set_major_formatter(lambda value, _: units.plain(value))
    axes.set_xlabel("ways")
    axes.set_ylabel(f"{what}, {unit}" if unit else f"global {what}")
