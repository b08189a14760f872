"""What collectives take by what a library is told, over its own choice."""

from __future__ import annotations

from dataclasses import replace

from matplotlib.figure import Figure

from reports import plot, table, units
from reports.model import Case, Run
from reports.model_row import Facts

TITLE = "What a library can be told"
READING = (
    "Times of collectives with the algorithm and protocol that the library was told, over that of "
    "its own choice at the same size. Below the line, its own choice loses time. Intervals are "
    "those of the told times; hollow points are not steady, or their own choice is not."
)
ORDER = 61
MOST_PANELS = 6
ACROSS = "message size"
_LABEL = 12  # points


def _told(case: Case) -> str:
    """ "ring ll128"; empty for the library's own choice."""
    return " ".join(filter(None, (case.options.get(key) for key in ("algorithm", "protocol"))))


def _asked(case: Case) -> tuple[object, ...]:
    """The call, whatever the library is told of it."""
    rest = {key: value for key, value in case.options.items() if key not in _CHOICE}
    return (case.variant, case.dtype, _pairs(case.problem), _pairs(rest))


_CHOICE = ("algorithm", "protocol")


def _pairs(facts: Facts) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(facts.items()))


def _panel(case: Case) -> tuple[object, ...]:
    reduction = case.options.get("reduction", "")
    return (case.problem.get("op", "?"), reduction, case.problem.get("ranks", "?"), case.dtype)


def ratios(run: Run) -> dict[str, list[plot.Series]]:
    """Time over the own choice's over the bytes of a message, by operation and ranks, one series
    for each thing that the library was told."""
    cases = run.of_suite("collectives")
    own = {_asked(case): case for case in cases if not _told(case) and case.median_ns}
    told = [case for case in cases if _told(case) and _asked(case) in own]
    choices = plot.distinct(_told(case) for case in told)

    def point(case: Case) -> plot.Point | None:
        beside = own[_asked(case)]
        made = plot.time_point(case, case.field("bytes"), 1 / beside.median_ns)
        return made and replace(made, hollow=made.hollow or beside.hollow)

    def style(key: tuple[object, ...]) -> plot.Style:
        at = choices.index(key[0])
        return plot.Style.numbered(at, at)

    panels = {}
    for panel in plot.distinct(_panel(case) for case in told):
        op, reduction, ranks, dtype = (str(part) for part in panel)
        words = " ".join(filter(None, (op, reduction)))
        panels[plot.shown(f"{words}, {ranks} ranks, {dtype}", 40)] = plot.series(
            [case for case in told if _panel(case) == panel],
            key=lambda case: (_told(case),),
            point=point,
            label=lambda key: plot.shown(str(key[0])),
            style=style,
        )
    return {title: drawn for title, drawn in panels.items() if drawn}


def data(run: Run) -> list[table.Row]:
    return [
        row
        for panel, drawn in ratios(run).items()
        for row in table.of_series(
            panel, table.unit(ACROSS, "B"), "time over own choice", "1", drawn
        )
    ]


def _limits(every: list[plot.Series]) -> tuple[float, float]:
    """Of all panels, which are read beside each other: their points, intervals and the line."""
    ends = [1.0]
    for point in (point for one in every for point in one.points):
        ends += [end for end in (point.y, point.low, point.high) if end is not None and end > 0]
    return min(ends) / 1.1, max(ends) * 1.1


def draw(run: Run, figure: Figure) -> bool:
    found = list(ratios(run).items())
    if not found:
        return False
    panels = found[:MOST_PANELS]
    every = [one for _, drawn in panels for one in drawn]
    limits = _limits(every)
    for axes, (title, drawn) in zip(
        plot.grid(figure, len(panels), min(3, len(panels))), panels, strict=True
    ):
        axes.set_title(title)
        plot.draw(axes, drawn)
        axes.axhline(1.0, color=plot.INK, linewidth=1.2)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_ylim(*limits)
        plot.ticks(axes.xaxis, [p.x for one in drawn for p in one.points], units.size, most=4)
        plot.log_ticks(axes.yaxis, units.plain)
        axes.set_xlabel(ACROSS)
    if len(panels) < len(found):
        rest = f"the first {len(panels)} of {len(found)}"
        figure.suptitle(f"{figure.get_suptitle()} · {rest}", x=0.012, ha="left")
    figure.supylabel("time over own choice", fontsize=_LABEL)
    entries = {one.label: plot.handle(one.style) for one in every}
    plot.legend_below(figure, entries | plot.hollow_entry(plot.any_hollow(every)))
    return True
