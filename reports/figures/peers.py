"""How fast GPUs of a host exchange data: a matrix of all pairs where each GPU was measured, else a
row of it for each variant and direction."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from reports import plot, table, units
from reports.model import Case, Run
from reports.model_together import PeerMatrix, PeerPair

TITLE = "Pairs of GPUs"
READING = (
    "Copies between the memories of two GPUs: to the peer, from it, and both ways at once, whose "
    "bytes count together; of each, the largest. A run of all GPUs is a matrix: the GPU of the row "
    "copies, its peer is the column, and darker is nearer to what the links of that pair carry, or "
    "to the fastest pair where that is not known. A frame marks a pair that is slower than the "
    "others beyond noise, a star what was not steady. A run of one GPU is a row of that for each "
    "variant: the peer is named by its distance in the order of the host's GPUs, and darker is "
    "faster within a row."
)
ORDER = 59
MOST_PANELS = 6
MOST_WRITTEN = 10  # GPUs: of more, the cells are too small for numbers

_SHADES = LinearSegmentedColormap.from_list("shades", ["#ffffff", "#a9cce8"])


def matrices(run: Run) -> list[PeerMatrix]:
    """Of the GPUs that were measured together; empty for a run of one of them."""
    found = run.pairs.matrices if run.pairs and len(run.pairs.runs) > 1 else ()
    return sorted(found, key=lambda matrix: (matrix.variant, matrix.direction, matrix.bytes))


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


def _label(*words: str) -> str:
    return plot.shown(" ".join(words).replace("_", " "), 40)


def data(run: Run) -> list[table.Row]:
    if whole := matrices(run):
        return [
            {
                "panel": _label(matrix.variant, matrix.direction),
                "gpu": pair.gpu,
                "peer": pair.peer,
                table.unit("copy", "B"): matrix.bytes,
                table.unit("bandwidth", "B/s"): pair.rate,
                table.unit("links", "B/s"): pair.roof,
                "slower": "yes" if pair.slower else "no",
                "steady": table.steady(hollow=pair.unstable),
            }
            for matrix in whole
            for pair in matrix.pairs
        ]
    across = table.unit("distance", "1")
    return [
        {"line": _label(*key), "case": point.name, across: point.x}
        | table.measured("bandwidth", "B/s", point)
        for key, row in cells(run).items()
        for point in row.values()
    ]


def draw(run: Run, figure: Figure) -> bool:
    if run.pairs and (whole := matrices(run)):
        _draw_matrices(figure, run.pairs.gpus, whole)
        return True
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
    axes.set_yticks(range(len(rows)), [_label(*key) for key in rows])
    axes.grid(False)
    axes.set_xlabel(f"distance of the peer; cells: bandwidth, {unit}")
    return True


def _draw_matrices(figure: Figure, gpus: Sequence[str], every: Sequence[PeerMatrix]) -> None:
    whole = every[:MOST_PANELS]
    scale, unit = plot.unit_scale((pair.rate for one in whole for pair in one.pairs), "B/s")
    columns = min(3, len(whole))
    for at, (axes, matrix) in enumerate(
        zip(plot.grid(figure, len(whole), columns), whole, strict=True)
    ):
        _draw_matrix(axes, gpus, matrix, scale)
        if at % columns == 0:
            axes.set_ylabel("GPU")
        if at + columns >= len(whole):
            axes.set_xlabel("peer")
    left_out = "" if len(whole) == len(every) else f"; the first {len(whole)} of {len(every)}"
    figure.supxlabel(f"cells: bandwidth, {unit}{left_out}", fontsize=plot.RC["axes.labelsize"])


def _draw_matrix(axes: Axes, gpus: Sequence[str], matrix: PeerMatrix, scale: float) -> None:
    best = max((pair.rate for pair in matrix.pairs), default=1.0)
    shades = [[0.0] * len(gpus) for _ in gpus]
    size = 12 if len(gpus) <= 4 else 8
    for pair in matrix.pairs:
        if pair.gpu not in gpus or pair.peer not in gpus:
            continue
        y, x = gpus.index(pair.gpu), gpus.index(pair.peer)
        shades[y][x] = min(1.0, pair.rate / (pair.roof or best))
        if len(gpus) <= MOST_WRITTEN:
            star = "*" if pair.unstable else ""
            text = f"{pair.rate * scale:.3g}{star}"
            axes.text(x, y, text, ha="center", va="center", fontsize=size)
        if pair.slower:
            frame = {"fill": False, "edgecolor": plot.VERMILLION, "linewidth": 2}
            axes.add_patch(Rectangle((x - 0.46, y - 0.46), 0.92, 0.92, **frame))
    axes.imshow(shades, cmap=_SHADES, vmin=0.0, vmax=1.0, aspect="auto")
    ticks = [plot.shown(gpu.removeprefix("cuda:"), 8) for gpu in gpus]
    places = range(0, len(gpus), -(-len(gpus) // 16))
    axes.set_xticks(places, [ticks[place] for place in places])
    axes.set_yticks(places, [ticks[place] for place in places])
    axes.grid(False)
    title = _label(matrix.variant, matrix.direction)
    axes.set_title(f"{title}\n{_reached(matrix.pairs)}", fontsize=11)


def _reached(pairs: Sequence[PeerPair]) -> str:
    """What share of the links' rate pairs reach: "78% to 83% of 478 GB/s"."""
    shares = sorted(pair.rate / pair.roof for pair in pairs if pair.roof)
    if not shares:
        return "the links' rate is not known"
    least, most = f"{shares[0]:.0%}", f"{shares[-1]:.0%}"
    roofs = [pair.roof for pair in pairs if pair.roof]
    scale, unit = plot.unit_scale(roofs, "B/s")
    reached = least if least == most else f"{least} to {most}"
    carried = " to ".join(units.plain(r * scale) for r in sorted({min(roofs), max(roofs)}))
    return f"{reached} of the links' {carried} {unit}"
