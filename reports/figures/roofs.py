"""What the device can do at most: measured ceilings beside the datasheet's."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from reports import plot, table
from reports.model import Ceiling, Roof, Run

TITLE = "Ceilings of the device"
READING = (
    "Solid bars were measured by the suite roofs, hollow ones not steadily; dashed outlines are "
    "the datasheet's figures for the same ceiling, and the percentage is what was reached of it."
)
ORDER = 10

_GROUPS = {"dram": "DRAM", "fma": "Multiply-add", "tensor": "Tensor cores", "link": "Link"}
_GROUPS |= dict.fromkeys(("llc", "l2", "l1", "shared"), "On the chip")
_DASHED = (0, (4, 2))
_UNITS = ("B/s", "FLOP/s", "ns")


def bars(run: Run) -> dict[str, list[Ceiling]]:
    """Bars by the title of their panel, in the order of the file."""
    panels: dict[str, list[Ceiling]] = {}
    seen: set[str] = set()
    for roof in run.roofs:
        if roof.kind in seen or roof.unit not in _UNITS or _is_shown_beside_others(run, roof):
            continue
        seen.add(roof.kind)
        group = roof.kind.split(".")[0]
        measured = _first(run, [roof.kind], roof.unit, True)
        datasheet = _first(run, [roof.kind, group], roof.unit, False)
        title = "Latency of a load" if roof.unit == "ns" else _GROUPS.get(group, group)
        panels.setdefault(title, []).append(Ceiling(roof.kind, measured, datasheet))
    return panels


def _is_shown_beside_others(run: Run, roof: Roof) -> bool:
    """A datasheet's "dram" stands beside each measured dram.*, and needs no bar of its own."""
    return not roof.measured and any(
        other.measured and other.unit == roof.unit and other.kind.startswith(roof.kind + ".")
        for other in run.roofs
    )


def _first(run: Run, kinds: list[str], unit: str, measured: bool) -> Roof | None:
    found = (
        roof
        for roof in run.roofs
        if roof.measured == measured and roof.kind in kinds and roof.unit == unit
    )
    return next(found, None)


def data(run: Run) -> list[table.Row]:
    rows: list[table.Row] = []
    for title, drawn in bars(run).items():
        for bar in drawn:
            row: table.Row = {"panel": title, "ceiling": bar.name}
            for how, roof in (("measured", bar.measured), ("datasheet", bar.datasheet)):
                row |= {table.unit(how, roof.unit): roof.value} if roof else {}
            if bar.measured:
                row["steady"] = table.steady(hollow=bar.measured.unsteady)
            rows.append(row)
    return rows


def draw(run: Run, figure: Figure) -> bool:
    panels = bars(run)
    if not panels:
        return False
    columns = 2 if len(panels) in (2, 4, 6) else min(3, len(panels))
    titles = list(panels)
    lines = [titles[start : start + columns] for start in range(0, len(titles), columns)]
    heights = [max(len(panels[title]) for title in line) for line in lines]
    figure.set_size_inches(
        plot.SLIDE[0], max(3.0, 1.1 + sum(0.4 * height + 0.7 for height in heights))
    )
    grid = figure.subplots(len(lines), columns, squeeze=False, height_ratios=heights)
    for row, line in enumerate(lines):
        for axes, title in zip(grid[row], line, strict=False):
            _panel(axes, panels[title], heights[row])
            axes.set_title(title)
        for axes in grid[row][len(line) :]:
            axes.remove()
    entries = _legend([bar for drawn in panels.values() for bar in drawn])
    if len(entries) > 1:
        figure.legend(
            list(entries.values()), list(entries), loc="outside lower right", ncols=len(entries)
        )
    return True


def _legend(drawn: list[Ceiling]) -> dict[str, Patch]:
    entries = {"measured": Patch(color=plot.BLUE)}
    if any(bar.measured and bar.measured.unsteady for bar in drawn):
        entries["hollow: not steady"] = Patch(facecolor="white", edgecolor=plot.BLUE)
    if any(bar.datasheet for bar in drawn):
        entries["datasheet"] = Patch(fill=False, edgecolor=plot.INK, linestyle=_DASHED)
    return entries


def _panel(axes: Axes, drawn: list[Ceiling], rows: int) -> None:
    largest = max(bar.highest for bar in drawn)
    for row, bar in enumerate(drawn):
        if bar.datasheet:
            axes.barh(
                row,
                bar.datasheet.value,
                0.74,
                fill=False,
                edgecolor=plot.INK,
                linestyle=_DASHED,
                linewidth=1.2,
            )
        if bar.measured:
            face = "white" if bar.measured.unsteady else plot.BLUE
            axes.barh(row, bar.measured.value, 0.48, facecolor=face, edgecolor=plot.BLUE)
        axes.annotate(
            _label(bar),
            (bar.highest, row),
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
            fontsize=11,
        )
    groups = {bar.name.split(".")[0] for bar in drawn}
    names = [
        bar.name.split(".", 1)[-1] if len(groups) == 1 else bar.name.replace(".", " ")
        for bar in drawn
    ]
    axes.set_yticks(range(len(drawn)), [plot.shown(name, 16) for name in names])
    axes.set_ylim(rows - 0.4, -0.6)
    axes.set_xlim(0, largest * 2.6)
    axes.set_xticks([])
    axes.grid(False)
    for side in ("bottom", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)


def _label(bar: Ceiling) -> str:
    if bar.measured is None:
        return f"not measured ({bar.datasheet.text})" if bar.datasheet else ""
    return bar.measured.text + (
        f" ({100 * bar.measured.value / bar.datasheet.value:.0f}%)" if bar.datasheet else ""
    )
