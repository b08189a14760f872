"""What it costs when neighbouring threads do not touch neighbouring bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from reports import plot, table, units
from reports.model import Case, Roof, Run, largest

TITLE = "Memory access patterns"
READING = (
    "Useful bytes are those the kernel asked for; moved bytes are the whole sectors or cache lines "
    "that its requests touch, each request on its own. Where the two part, bandwidth is spent on "
    "bytes that nobody reads; what lies beyond the ceiling of DRAM came from caches. Of each "
    "pattern the largest problem is drawn."
)
ORDER = 20

_PointOf = Callable[[Case, float | None], plot.Point | None]


@dataclass(frozen=True)
class Bar:
    label: str
    useful: plot.Point
    moved: float | None  # B/s


def _of_one_size(cases: list[Case]) -> list[Case]:
    """The cases of the size that most of them have, the largest such size, so that a line changes
    in one way only."""
    sizes = Counter(case.problem.get("elements", "") for case in cases)
    chosen = max(sizes, key=lambda size: (sizes[size], plot.by_value(size)), default="")
    return [case for case in cases if case.problem.get("elements", "") == chosen]


def _moved_rate(case: Case) -> float | None:
    moved = case.metric("moved_bytes")
    return moved / case.median_ns * 1e9 if moved and case.median_ns else None


def stride(run: Run) -> list[plot.Series]:
    """B/s over the stride in elements: useful, and moved where the case says how much it moves."""
    cases = _of_one_size(
        [case for case in run.of_suite("coalescing") if case.field("stride") is not None]
    )
    kinds = plot.distinct(_kind(case) for case in cases)

    def of(label: str, point: _PointOf, colour: str, dash: object) -> list[plot.Series]:
        return plot.series(
            cases,
            key=lambda case: (_kind(case),),
            point=lambda case: point(case, case.field("stride")),
            label=lambda key: plot.shown(label if len(kinds) == 1 else f"{label}, {key[0]}"),
            style=lambda key: plot.Style(
                colour, plot.MARKERS[kinds.index(key[0]) % len(plot.MARKERS)], dash
            ),
        )

    useful = of("useful", lambda case, x: plot.rate_point(case, x, case.byte_rate), plot.BLUE, "-")
    moved = of(
        "moved",
        lambda case, x: plot.fact_point(case, x, _moved_rate(case)),
        plot.ORANGE,
        plot.DASHES[2],
    )
    return useful + moved


def _kind(case: Case) -> str:
    return " ".join(
        [case.variant, case.dtype, *(f"{key}={value}" for key, value in case.options.items())]
    )


def patterns(run: Run) -> list[Bar]:
    """The patterns without a stride, in the order of the file."""
    cases = largest(run.of_suite("coalescing"), lambda case: case.bytes or 0)
    cases = [case for case in cases if case.field("stride") is None]
    dtypes = {case.dtype for case in cases}
    made = []
    for case in cases:
        point = plot.rate_point(case, 1, case.byte_rate)
        if point is None:
            continue
        words = [case.variant.replace("_", " ")]
        words += [case.dtype] if len(dtypes) > 1 else []
        ways = case.ways
        words += (
            list(ways.values())
            if len(ways) == 1
            else [f"{key}={value}" for key, value in ways.items()]
        )
        words += [f"{key}={value}" for key, value in case.options.items()]
        made.append(Bar(plot.shown(" ".join(words), 26), point, _moved_rate(case)))
    return made


def edge_of(drawn: list[Bar], roofs: list[Roof]) -> float:
    """B/s at the edge of the bars' axis: all useful rates and ceilings, and moved ones unless they
    are far beyond."""
    middle = max(
        [bar.useful.high or bar.useful.y for bar in drawn] + [roof.value for roof in roofs]
    )
    moved = [bar.moved for bar in drawn if bar.moved and bar.moved <= 2 * middle]
    return (
        1.05 * max([middle, *moved])
        if len(moved) == sum(bar.moved is not None for bar in drawn)
        else 1.4 * middle
    )


def ceilings(run: Run) -> list[Roof]:
    return [
        roof for roof in (run.roof("dram", measured=True), run.roof("dram", measured=False)) if roof
    ]


def data(run: Run) -> list[table.Row]:
    name, of = "bandwidth", "B/s"
    rows = table.of_series("stride", table.unit("stride", "elements"), name, of, stride(run))
    for bar in patterns(run):
        about = {"panel": "patterns", "case": bar.useful.name}
        rows.append(about | {"line": f"{bar.label}, useful"} | table.measured(name, of, bar.useful))
        if bar.moved is not None:
            rows.append(about | {"line": f"{bar.label}, moved", table.unit(name, of): bar.moved})
    return rows + table.of_roofs("", name, of, ceilings(run))


def draw(run: Run, figure: Figure) -> bool:
    lines, drawn_bars = stride(run), patterns(run)
    if not lines and not drawn_bars:
        return False
    roofs = ceilings(run)
    rates = [point.y for one in lines for point in one.points]
    rates += [bar.useful.y for bar in drawn_bars] + [roof.value for roof in roofs]
    scale, unit = plot.unit_scale(rates, "B/s")
    figure.set_size_inches(plot.SLIDE[0], max(plot.SLIDE[1], 1.9 + 0.27 * len(drawn_bars)))
    grid = list(figure.subplots(1, bool(lines) + bool(drawn_bars), squeeze=False).flat)
    handles = {one.label: plot.handle(one.style) for one in lines}
    if lines:
        _draw_lines(grid.pop(0), lines, roofs, scale, unit)
    else:
        handles = {
            "useful": Patch(color=plot.BLUE),
            "moved": Patch(fill=False, edgecolor=plot.ORANGE),
        }
    if drawn_bars:
        _draw_bars(grid[0], drawn_bars, roofs, scale, unit)
    handles |= plot.hollow_entry(
        any(bar.useful.hollow for bar in drawn_bars) or plot.any_hollow(lines)
    )
    for roof in roofs:
        name = f"DRAM {roof.origin} {roof.text}"
        handles[name] = plot.ceiling_handle(roof)
    plot.legend_below(figure, handles)
    return True


def _draw_lines(
    axes: Axes, lines: list[plot.Series], roofs: list[Roof], scale: float, unit: str
) -> None:
    plot.draw(axes, lines, scale)
    axes.set_xscale("log", base=2)
    plot.ticks(axes.xaxis, [point.x for one in lines for point in one.points], units.count)
    plot.ceiling_lines(axes, roofs, scale)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("stride, elements")
    axes.set_ylabel(f"bandwidth, {unit}")
    axes.set_title("Stride")


def _draw_bars(axes: Axes, drawn: list[Bar], roofs: list[Roof], scale: float, unit: str) -> None:
    edge = edge_of(drawn, roofs)
    for row, bar in enumerate(drawn):
        if bar.moved is not None:
            beyond = bar.moved > edge
            shown = 2 * edge if beyond else bar.moved
            axes.barh(row, shown * scale, 0.72, fill=False, edgecolor=plot.ORANGE, linewidth=1.4)
            if beyond:
                axes.annotate(
                    f"{units.plain(bar.moved * scale)} \N{RIGHTWARDS ARROW}",
                    (edge * scale, row),
                    xytext=(-4, 0),
                    textcoords="offset points",
                    ha="right",
                    va="center",
                    fontsize=10,
                    bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"},
                )
        plot.bar(axes, row, bar.useful, scale, 0.5)
    plot.label_rows(axes, [bar.label for bar in drawn])
    plot.ceiling_lines(axes, roofs, scale, upright=True)
    axes.set_xlim(0, edge * scale)
    axes.set_xlabel(f"bandwidth, {unit}")
    axes.set_title("Patterns")
