"""Bus bandwidth of collective operations over the message size."""

from __future__ import annotations

from matplotlib.figure import Figure

from reports import plot, table, units
from reports.model import Case, Run

TITLE = "Collectives"
READING = (
    "Bus bandwidth counts the bytes that every link must carry, so operations and numbers of ranks "
    "compare with each other and with the link's own rate. Small messages are bound by latency, "
    "large ones by the links. A call is isolated when all ranks met before it; pipelined calls "
    "follow each other, and ranks may run ahead."
)
ORDER = 60


def _operation(case: Case) -> str:
    """With its options, of which each makes another operation: "all_reduce max in place"."""
    words = [case.problem.get("op", "?"), case.options.get("reduction", "")]
    words += ["in place"] if case.options.get("in_place") == "yes" else []
    return " ".join(filter(None, words))


def _mode(case: Case) -> str:
    """With the number of calls in a row: "pipelined 16"."""
    return f"{case.problem.get('mode', '')} {case.problem.get('calls', '')}".removesuffix(" 1")


def bus_bandwidth(run: Run) -> list[plot.Series]:
    """busbw in B/s over the bytes of a message, one series an operation with its options, mode,
    number of ranks, variant and type."""
    cases = [
        case
        for case in run.of_suite("collectives")
        # What a library was told has a figure of its own (library_choices.py).
        if case.metric("busbw") is not None and "algorithm" not in case.options
    ]
    operations = plot.distinct(_operation(case) for case in cases)
    modes = plot.distinct(_mode(case) for case in cases)
    worlds = plot.distinct(
        (_mode(case), case.variant, case.problem.get("ranks", "?")) for case in cases
    )
    variants = plot.distinct(case.variant for case in cases)
    dtypes = plot.distinct(case.dtype for case in cases)

    def label(key: tuple[object, ...]) -> str:
        operation, mode, variant, ranks, dtype = key
        parts = [str(operation), f"{ranks} ranks"]
        parts += [str(mode)] if len(modes) > 1 else []
        parts += [str(variant)] if len(variants) > 1 else []
        parts += [str(dtype)] if len(dtypes) > 1 else []
        return plot.shown(", ".join(parts), 40)

    def style(key: tuple[object, ...]) -> plot.Style:
        operation = operations.index(key[0])
        return plot.Style.numbered(operation, operation, worlds.index(key[1:4]))

    return plot.series(
        cases,
        key=lambda case: (
            _operation(case),
            _mode(case),
            case.variant,
            case.problem.get("ranks", "?"),
            case.dtype,
        ),
        point=lambda case: plot.rate_point(case, case.field("bytes"), case.metric("busbw")),
        label=label,
        style=style,
    )


def data(run: Run) -> list[table.Row]:
    across = table.unit("message size", "B")
    return table.of_series("", across, "bus bandwidth", "B/s", bus_bandwidth(run))


def draw(run: Run, figure: Figure) -> bool:
    drawn = bus_bandwidth(run)
    if not drawn:
        return False
    axes = figure.subplots()
    scale, unit = plot.unit_scale((point.y for one in drawn for point in one.points), "B/s")
    plot.draw(axes, drawn, scale)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    plot.ticks(axes.xaxis, [point.x for one in drawn for point in one.points], units.size, most=8)
    plot.log_ticks(axes.yaxis, units.plain)
    axes.set_xlabel("message size")
    axes.set_ylabel(f"bus bandwidth, {unit}")
    plot.legend(figure, drawn)
    return True
