"""What a kernel asks of global memory, what its requests move, and what DRAM gives and takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reports import counted, plot, table, units
from reports.model import Case, Run

OF = "suite"
TITLE = "Useful, moved and DRAM bytes"
READING = (
    "Useful bytes are those that lanes ask for, each time they ask; moved bytes are the whole "
    "sectors of their requests, whoever serves them; DRAM bytes are what a simple model of the "
    "cache lets through, read and written. Moved beyond useful is waste by the access pattern; "
    "DRAM below moved is what caches keep."
)
ORDER = 130

STYLES = {
    "useful": plot.Style(plot.BLUE, "o"),
    "moved": plot.Style(plot.ORANGE, "D"),
    "DRAM": plot.Style(plot.GREEN, "s"),
}

WORDS = {"useful": "useful", "moved": "moved (32 B a sector)", "DRAM": "DRAM, read and written"}
SIZES = {"useful": 5.5, "moved": 9.0, "DRAM": 12.5}  # around each other where they meet


@dataclass(frozen=True)
class Bytes:
    label: str
    values: dict[str, float]  # by kind, as in STYLES; kinds without a byte are left out


def of_case(case: Case) -> dict[str, float]:
    dram = [case.metric("dram_read_bytes"), case.metric("dram_written_bytes")]
    values = {
        "useful": case.metric("global_useful_bytes"),
        "moved": case.metric("global_moved_bytes"),
        "DRAM": None if None in dram else sum(part for part in dram if part),
    }
    return {kind: value for kind, value in values.items() if value}


def bytes_of(rows: Sequence[counted.Row]) -> list[Bytes]:
    return [Bytes(row.label, values) for row in rows if (values := of_case(row.case))]


def data(run: Run, suite: str) -> list[table.Row]:
    rows, _ = counted.rows(run, suite)
    return [
        {"row": row.label, "case": row.case.name}
        | {table.unit(kind, "B"): value for kind, value in values.items()}
        for row in rows
        if (values := of_case(row.case))
    ]


def draw(run: Run, suite: str, figure: Figure) -> bool:
    rows, more = counted.rows(run, suite)
    drawn = bytes_of(rows)
    if not drawn:
        return False
    counted.set_height(figure, len(drawn))
    axes = figure.subplots()
    axes.set_xscale("log")
    for row, one in enumerate(drawn):
        ends = min(one.values.values()), max(one.values.values())
        axes.plot(ends, [row, row], color=plot.PALE, lw=3, zorder=1, solid_capstyle="round")
        for kind, value in one.values.items():
            axes.plot([value], [row], zorder=4 if kind == "useful" else 3, **_look(kind))
    least = min(min(one.values.values()) for one in drawn)
    most = max(max(one.values.values()) for one in drawn)
    axes.set_xlim(least / 1.6, most * 1.6)
    plot.log_ticks(axes.xaxis, units.prefixed)
    axes.set_xlabel("bytes")
    plot.label_rows(axes, [one.label for one in drawn])
    counted.say_left_out(axes, more)
    kinds = [kind for kind in STYLES if any(kind in one.values for one in drawn)]
    plot.legend_below(figure, {WORDS[kind]: Line2D([], [], **_look(kind)) for kind in kinds})
    return True


def _look(kind: str) -> dict[str, object]:
    look = plot.dot(STYLES[kind].colour, STYLES[kind].marker, markersize=SIZES[kind])
    return look | ({"markerfacecolor": "none", "markeredgewidth": 1.8} if kind == "DRAM" else {})
