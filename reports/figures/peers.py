"""How fast a GPU exchanges data with each other GPU of its host: a row of the matrix of pairs for
each variant and direction."""

from __future__ import annotations

from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from reports import plot, table
from reports.model import Case, Run

TITLE = "Pairs of GPUs"
READING = (
    "Copies between the memories of two GPUs: to the peer, from it, and both ways at once, whose "
    "bytes count together. The peer is named by its distance in the order of the host's GPUs. Of "
    "each, the largest copy is shown; darker is faster within a row, and a star marks what was not "
    "steady."
)
ORDER = 59

_SHADES = LinearSegmentedColormap.from_list("shades", ["#ffffff", "#a9cce8"])


def cells(run: Run) -> dict[tuple[str, str], dict[float, plot.Point]]:
    """B/s by the peer's distance, for each variant and direction: of the largest copies."""
    found: dict[tuple[str, str], dict[float, plot.Point]] = {}
    sizes: dict[tuple[str, str], float] = {}
    for case in sorted(run.of_suite("peers"), key=_elements):
        distance = case.field("peer")
        point = plot.rate_point(case, distance, case.byte_rate)
        if distance is None or point is None:
            continue
        key = (case.variant, case.problem.get("direction", "?"))
        if _elements(case) > sizes.get(key, -1.0):
            found[key], sizes[key] = {}, _elements(case)
        found[key][distance] = point
    return {key: found[key] for key in sorted(found)}


def _elements(case: Case) -> float:
    return case.field("elements") or 0.0


def _label(key: tuple[str, str]) -> str:
    return plot.shown(" ".join(key).replace("_", " "), 40)


def data(run: Run) -> list[table.Row]:
    across = table.unit("distance", "1")
    return [
        {"line": _label(key), "case": point.name, across: point.x}
        | table.measured("bandwidth", "B/s", point)
        for key, row in cells(run).items()
        for point in row.values()
    ]


def draw(run: Run, figure: Figure) -> bool:
    rows = cells(run)
    if not rows:
        return False
    distances = sorted({distance for row in rows.values() for distance in row})
    scale, unit = plot.unit_scale((p.y for row in rows.values() for p in row.values()), "B/s")
    shades, texts = [], []
    for row in rows.values():
        best = max(point.y for point in row.values())
        points = [row.get(distance) for distance in distances]
        shades.append([point.y / best if point else 0.0 for point in points])
        texts.append([f"{p.y * scale:.3g}{'*' if p.hollow else ''}" if p else "" for p in points])
    axes = figure.subplots()
    axes.imshow(shades, cmap=_SHADES, vmin=0.0, vmax=1.0, aspect="auto")
    for at, line in enumerate(texts):
        for across, text in enumerate(line):
            axes.text(across, at, text, ha="center", va="center")
    axes.set_xticks(range(len(distances)), [f"{distance:g}" for distance in distances])
    axes.set_yticks(range(len(rows)), [_label(key) for key in rows])
    axes.grid(False)
    axes.set_xlabel(f"distance of the peer; cells: bandwidth, {unit}")
    return True
