"""What work in flight buys: bandwidth and multiply-add rate over occupancy, and bandwidth over
bytes in flight."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from matplotlib.artist import Artist
from matplotlib.figure import Figure

from reports import plot, table, units
from reports.model import Case, Run

TITLE = "Occupancy"
READING = (
    "Occupancy is the share of the warps that fit on the device (as measured, else as predicted), "
    "on a CPU the number of threads. Independent loads or multiply-add chains in each thread do "
    "the same work as more threads. Lines over occupancy are of the usual width of a load; the "
    "panel of bytes in flight has every width."
)
ORDER = 30


def _where(case: Case) -> float | None:
    """Occupancy in percent where a case has one, else its number of threads."""
    for name in ("occupancy_ran", "occupancy_predicted"):
        if (value := case.metric(name)) is not None and case.field("threads") is None:
            return 100 * value
    return case.field("threads")


def _cases(run: Run, variant: str) -> list[Case]:
    """Of sizes that differ, the largest: the others are there to be counted on an emulated device,
    too."""
    cases = [case for case in run.of_suite("occupancy") if case.variant == variant]
    largest = max((case.field("elements") or 0 for case in cases), default=0)
    return [case for case in cases if (case.field("elements") or 0) == largest]


def usual_width(cases: list[Case]) -> str:
    """The width of a load that most cases have, or an empty string when no case names one."""
    widths = Counter(case.problem["width"] for case in cases if "width" in case.problem)
    return max(widths, key=lambda width: widths[width], default="")


def _series(
    run: Run, cases: list[Case], parallel: str, point: Callable[[Case], plot.Point | None]
) -> list[plot.Series]:
    counts = plot.distinct(case.problem.get(parallel, "?") for case in cases)
    kinds = plot.distinct(_kind(case, parallel) for case in run.of_suite("occupancy"))

    def style(key: tuple[object, ...]) -> plot.Style:
        kind = kinds.index(key[1])
        return plot.Style.numbered(counts.index(key[0]), kind, kind)

    return plot.series(
        cases,
        key=lambda case: (case.problem.get(parallel, "?"), _kind(case, parallel)),
        point=point,
        label=lambda key: plot.shown(f"{key[0]} {key[1]}".strip()),
        style=style,
    )


def _kind(case: Case, parallel: str) -> str:
    """What limits the occupancy, and every other field that tells two lines apart."""
    rest = {**case.problem, **case.options}
    limit = rest.pop("limit", "")
    for key in ("warps", "threads", "loads", "chains", "width", "elements", parallel):
        rest.pop(key, None)
    return " ".join([limit, *(f"{key}={value}" for key, value in rest.items())]).strip()


def bandwidth(run: Run) -> list[plot.Series]:
    """B/s over occupancy in percent or threads, one series a number of independent loads and
    limit."""
    cases = _cases(run, "load")
    width = usual_width(cases)
    cases = [case for case in cases if case.problem.get("width", "") == width]
    return _series(
        run, cases, "loads", lambda case: plot.rate_point(case, _where(case), case.byte_rate)
    )


def fma_rate(run: Run) -> list[plot.Series]:
    """FLOP/s over occupancy in percent or threads, one series a number of independent chains and
    limit."""
    return _series(
        run,
        _cases(run, "fma"),
        "chains",
        lambda case: plot.rate_point(case, _where(case), case.flop_rate),
    )


def in_flight(run: Run) -> list[plot.Series]:
    """B/s over the bytes that an SM or core keeps in flight."""

    # Without lines: points of different loads and occupancies that fall together are what the panel
    # is about.
    cases = _cases(run, "load")
    points = {
        case.name: plot.rate_point(case, case.metric("bytes_in_flight"), case.byte_rate)
        for case in cases
    }
    made = _series(run, cases, "loads", lambda case: points[case.name])
    return [replace(one, style=replace(one.style, dash="none")) for one in made]


def _by_threads(run: Run) -> bool:
    return any(case.field("threads") is not None for case in run.of_suite("occupancy"))


def data(run: Run) -> list[table.Row]:
    across = table.unit("threads", "1") if _by_threads(run) else table.unit("occupancy", "%")
    flight = table.unit("bytes in flight", "B")
    return [
        *table.of_series("bandwidth", across, "bandwidth", "B/s", bandwidth(run)),
        *table.of_series("multiply-add", across, "rate", "FLOP/s", fma_rate(run)),
        *table.of_series("bytes in flight", flight, "bandwidth", "B/s", in_flight(run)),
    ]


def draw(run: Run, figure: Figure) -> bool:
    threads = _by_threads(run)
    where = "threads" if threads else "occupancy, %"
    width = usual_width(_cases(run, "load"))
    flight = in_flight(run)
    unit = "core" if run.device.kind == "cpu" else "SM"
    over = "over threads" if threads else "over occupancy"
    panels = [
        (
            "Bandwidth",
            over,
            where + (f" (loads of {width} B)" if width else ""),
            bandwidth(run),
            "B/s",
        ),
        ("Multiply-add", over, where, fma_rate(run), "FLOP/s"),
        ("Bandwidth", "over bytes in flight", f"bytes in flight, each {unit}", flight, "B/s"),
    ]
    panels = [panel for panel in panels if panel[3]]
    if not panels:
        return False
    for axes, (title, over, across, drawn, rate) in zip(
        plot.grid(figure, len(panels), len(panels)), panels, strict=True
    ):
        scale, prefixed = plot.unit_scale((point.y for one in drawn for point in one.points), rate)
        plot.draw(axes, drawn, scale)
        axes.set_title(f"{title}, {prefixed}\n{over}")
        axes.set_xlabel(across)
        axes.set_ylim(bottom=0)
        xs = [point.x for one in drawn for point in one.points]
        if drawn is flight:
            axes.set_xscale("log", base=2)
            plot.ticks(axes.xaxis, xs, units.size, most=4)
        elif threads:
            plot.ticks(axes.xaxis, xs, units.count)
            axes.set_xlim(min(xs) - 0.3, max(xs) + 0.3)
        else:
            axes.set_xscale("log", base=2)
            low = min(min(xs), 50.0)
            plot.ticks(
                axes.xaxis,
                [100 / 2**power for power in range(1 + math.ceil(math.log2(100 / low)))],
                units.plain,
            )
            axes.set_xlim(low / 1.2, 120)
    _legend(figure, [one for panel in panels for one in panel[3]])
    return True


def _legend(figure: Figure, drawn: list[plot.Series]) -> None:
    """Colour says how many loads or chains, marker and dash say what limits the occupancy."""
    entries: dict[str, Artist] = {}
    for count in plot.distinct(one.label.partition(" ")[0] for one in drawn):
        style = next(one.style for one in drawn if one.label.partition(" ")[0] == count)
        text = "1 load or chain" if count == "1" else f"{count} loads or chains"
        entries[text] = plot.handle(plot.Style(style.colour), marker=False)
    lines = [one for one in drawn if one.style.dash != "none"]
    for kind in plot.distinct(one.label.partition(" ")[2] for one in lines):
        style = next(one.style for one in lines if one.label.partition(" ")[2] == kind)
        if kind:
            entries[f"limited by {kind}"] = plot.handle(
                plot.Style(plot.GREY, style.marker, style.dash)
            )
    plot.legend_below(figure, entries | plot.hollow_entry(plot.any_hollow(drawn)))
