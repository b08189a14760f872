"""What it saves to do element and row operations in one kernel: bytes and time by variant."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from reports import plot, table, units
from reports.model import Case, Run

TITLE = "Fusion"
READING = (
    "Bias, GELU, dropout, residual and LayerNorm of the same rows, in one kernel or in several. "
    "Moved bytes are whole sectors or cache lines of all requests; the upright line is the least "
    "that must move. Between them are results that go through memory, and parameters that are read "
    "again. Of each type the largest problem is drawn that most cases have; where types differ in "
    "it, its rows and columns stand beside the name."
)
ORDER = 35


@dataclass(frozen=True)
class Bar:
    label: str
    moved: float | None  # B
    least: float | None  # B
    time: plot.Point | None  # ns; absent where there are no times


def cases_of_one_problem(cases: list[Case]) -> list[Case]:
    """Of each type the cases of the problem that most of its cases have, the largest such
    problem."""
    chosen = []
    for dtype in plot.dtype_order(case.dtype for case in cases):
        some = [case for case in cases if case.dtype == dtype]
        counts = Counter(case.problem_key for case in some)
        bytes_of = {case.problem_key: case.bytes or 0 for case in some}
        best = max(counts, key=lambda key: (counts[key], bytes_of[key]))
        chosen += [case for case in some if case.problem_key == best]
    return chosen


def _moved(case: Case) -> float | None:
    """As counted, else as the variant says."""
    return case.metric("global_moved_bytes") or case.metric("moved_bytes")


def bars(run: Run) -> list[Bar]:
    """By type, and of each type the variant that moves most first."""
    counted = [case for case in run.cases if case.suite == "fusion" and case.outcome == "counted"]
    cases = cases_of_one_problem(run.of_suite("fusion") + counted)
    one_size = len({tuple(case.problem.values()) for case in cases}) == 1
    made = []
    for dtype in plot.dtype_order(case.dtype for case in cases):
        for case in sorted(
            (case for case in cases if case.dtype == dtype), key=lambda case: -(_moved(case) or 0)
        ):
            size = "" if one_size else " " + " x ".join(case.problem.values())
            label = plot.shown(f"{case.variant.replace('_', ' ')} {case.dtype}{size}", 40)
            made.append(Bar(label, _moved(case), case.bytes, plot.time_point(case, 1)))
    return made


def data(run: Run) -> list[table.Row]:
    return [
        {
            "line": bar.label,
            table.unit("moved", "B"): bar.moved,
            table.unit("least that must move", "B"): bar.least,
        }
        | (table.measured("time", "ns", bar.time) if bar.time else {})
        for bar in bars(run)
    ]


def draw(run: Run, figure: Figure) -> bool:
    drawn = bars(run)
    moved, timed = any(bar.moved for bar in drawn), any(bar.time for bar in drawn)
    if not moved and not timed:
        return False
    figure.set_size_inches(plot.SLIDE[0], max(2.6, 2.2 + 0.3 * len(drawn)))
    grid = list(figure.subplots(1, moved + timed, squeeze=False, sharey=True).flat)
    if moved:
        _draw_bytes(grid[0], drawn)
    if timed:
        _draw_times(grid[-1], drawn)
    for axes in grid:
        plot.label_rows(axes, [bar.label for bar in drawn])
        axes.set_xlim(left=0)
    handles: dict[str, Artist] = {}
    if moved:
        handles["moved"] = Patch(color=plot.ORANGE)
        handles["least that must move"] = Line2D(
            [], [], color=plot.INK, linestyle="none", marker="|", markersize=14
        )
    handles |= plot.hollow_entry(any(bar.time and bar.time.hollow for bar in drawn))
    plot.legend_below(figure, handles)
    return True


def _draw_bytes(axes: Axes, drawn: list[Bar]) -> None:
    scale, unit = plot.unit_scale((bar.moved or 0 for bar in drawn), "B")
    for row, bar in enumerate(drawn):
        axes.barh(row, (bar.moved or 0) * scale, 0.6, color=plot.ORANGE)
        if bar.least:
            axes.plot(
                [bar.least * scale] * 2, [row - 0.38, row + 0.38], color=plot.INK, linewidth=2
            )
    axes.set_xlabel(f"moved, {unit}")
    axes.set_title("Bytes")


def _draw_times(axes: Axes, drawn: list[Bar]) -> None:
    most = max(bar.time.high or bar.time.y for bar in drawn if bar.time)
    scale, unit = plot.unit_scale([most], "ns")
    for row, bar in enumerate(drawn):
        if bar.time:
            plot.bar(axes, row, bar.time, scale, 0.6)
    axes.set_xlabel(f"time, {unit}")
    axes.set_title("Time")
    axes.xaxis.set_major_formatter(lambda value, _: units.plain(value))
