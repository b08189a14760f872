"""What figures share: series of points taken from cases, and one way to draw them.

A figure first turns cases into series (pure data, which is what tests look at) and then draws those
series, so what is drawn is what was tested. Colours are Okabe and Ito's, which colour-blind readers
can tell apart; marker and dash carry the same information a second time.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, LogLocator, NullLocator

from reports.model import Case, Roof

BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#E69F00",
    "#CC79A7",
    "#56B4E9",
)
INK, GREY, PALE = "#222222", "#6b6b6b", "#d9d9d9"
COLOURS = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY, "#7A4B2A")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))

SLIDE = (10.0, 5.6)  # inches: one slide
_ONE_LINE = 0.02  # of a value: less than the width of a line where an axis spans decades

RC = {
    "font.family": "DejaVu Sans",
    "font.size": 12,
    "axes.titlesize": 13,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 12,
    "legend.fontsize": 12,
    "legend.frameon": False,
    "legend.handlelength": 2.8,
    "figure.titlesize": 14,
    "figure.titleweight": "bold",
    "figure.constrained_layout.w_pad": 0.09,  # inches
    "figure.constrained_layout.h_pad": 0.09,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "lines.linewidth": 2,
    "lines.markersize": 7,
    "text.parse_math": False,  # a name may hold a dollar sign
    "svg.fonttype": "path",  # looks the same everywhere
    "svg.hashsalt": "ridgeline",  # the same input gives the same file
}


_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Point:
    """One case in a figure. `low` and `high` are the 95% interval of y over processes, or None
    below three."""

    x: float
    y: float
    low: float | None
    high: float | None
    hollow: bool
    name: str


@dataclass(frozen=True)
class Style:
    colour: str = BLUE
    marker: str = "o"
    dash: object = "-"

    @classmethod
    def numbered(cls, colour: int, marker: int, dash: int = 0) -> Style:
        """Of the looks that can be told apart, which begin anew where they are used up."""
        return cls(
            COLOURS[colour % len(COLOURS)],
            MARKERS[marker % len(MARKERS)],
            DASHES[dash % len(DASHES)],
        )


@dataclass(frozen=True)
class Series:
    label: str
    points: tuple[Point, ...]
    style: Style


def rate_point(case: Case, x: float | None, rate: float | None) -> Point | None:
    """`case` at (x, rate), the interval of its time turned into one of its rate; None when one is
    missing."""
    if not (x and rate and case.median_ns):
        return None
    ends = [rate * case.median_ns / end for end in reversed(case.interval_ns or ())]
    return _point(case, x, rate, ends)


def time_point(case: Case, x: float | None, scale: float = 1.0) -> Point | None:
    return _point(
        case, x, (case.median_ns or 0) * scale, [end * scale for end in case.interval_ns or ()]
    )


def fact_point(case: Case, x: float | None, y: float | None) -> Point | None:
    """A quantity that is not derived from a time, and so has no interval."""
    return _point(case, x, y, ())


def _point(case: Case, x: float | None, y: float | None, ends: Sequence[float]) -> Point | None:
    low, high = ends or (None, None)
    drawable = x and y and 0 < x < math.inf and 0 < y < math.inf
    return Point(x, y, low, high, case.hollow, case.name) if drawable else None


def series(
    cases: Iterable[Case],
    key: Callable[[Case], tuple[object, ...]],
    point: Callable[[Case], Point | None],
    label: Callable[[tuple[object, ...]], str],
    style: Callable[[tuple[object, ...]], Style],
) -> list[Series]:
    """One series a key, in order of keys, its points in order of x; series without a point are left
    out."""
    groups: dict[tuple[object, ...], list[Point]] = {}
    for case in cases:
        made = point(case)
        if made is not None:
            groups.setdefault(key(case), []).append(made)
    return [
        Series(label(group), tuple(sorted(groups[group], key=lambda p: p.x)), style(group))
        for group in sorted(groups, key=by_value)
    ]


def coinciding(drawn: Iterable[Series]) -> list[list[Series]]:
    """Lines of which a reader sees one, together: at every x of the shorter one, both have all but
    the same y."""
    groups: list[list[Series]] = []
    for one in drawn:
        group = next((group for group in groups if _coincide(group[0], one)), None)
        if group is None:
            groups.append([one])
        else:
            group.append(one)
    return [group for group in groups if len(group) > 1]


def _coincide(a: Series, b: Series) -> bool:
    ys, others = ({point.x: point.y for point in one.points} for one in (a, b))
    shared = ys.keys() & others.keys()
    return len(shared) == min(len(ys), len(others)) and all(
        math.isclose(ys[x], others[x], rel_tol=_ONE_LINE) for x in shared
    )


def by_value(key: object) -> tuple[object, ...]:
    """Sorts numbers by value and before words, so that "128" comes after "64"."""
    if isinstance(key, tuple):
        return tuple(by_value(part) for part in key)
    try:
        return (0, float(str(key)), "")
    except ValueError:
        return (1, 0.0, str(key))


def distinct(values: Iterable[object]) -> list[object]:
    return sorted(set(values), key=by_value)


def variant_styles(cases: Sequence[Case]) -> dict[str, Style]:
    """Own variants solid, vendor libraries dashed and black; the same set of variants always looks
    the same."""
    own, vendors = (
        distinct(case.variant for case in cases if case.vendor == vendor)
        for vendor in (False, True)
    )
    styles = {str(name): Style.numbered(index, index) for index, name in enumerate(own)}
    for index, name in enumerate(vendors):
        styles[str(name)] = Style(INK, MARKERS[-1 - index % len(MARKERS)], DASHES[1])
    return styles


SUITES = (
    "attention",
    "coalescing",
    "fusion",
    "gemm",
    "rows",
    "decode",
    "attention_backward",
    "collectives",
    "divergence",
    "occupancy",
    "roofs",
    "transfer",
    "peers",
    "beside",
)
"""Own suites: the first have a colour for each, as they stand together below roofs."""


def suite_styles(suites: Iterable[str]) -> dict[str, Style]:
    """Of each suite its colour and mark, which are the same in all figures. A suite of another
    worker has those of its name, unless another suite of the figure has them already."""
    looks = len(COLOURS) * len(MARKERS)
    taken = dict(zip(SUITES, range(len(SUITES)), strict=True))
    drawn = [str(suite) for suite in distinct(suites)]
    for suite in drawn:
        if suite in taken:
            continue
        first = zlib.crc32(suite.encode("utf-8", "surrogatepass"))
        free = ((first + step) % looks for step in range(looks))
        taken[suite] = next((at for at in free if at not in taken.values()), first % looks)
    return {suite: Style.numbered(taken[suite], taken[suite]) for suite in drawn}


DTYPES = ("f64", "f32", "tf32", "f16", "bf16")


def dtype_order(dtypes: Iterable[str]) -> list[str]:
    """Distinct types, widest first; types that are not known come last."""
    return sorted(
        set(dtypes),
        key=lambda dtype: (DTYPES.index(dtype) if dtype in DTYPES else len(DTYPES), dtype),
    )


def shown(text: str, limit: int = 32) -> str:
    """`text` as it can be drawn: no control characters, cut in the middle, and never hidden from a
    legend."""
    clean = "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )
    if len(clean) > limit:
        clean = clean[: limit - limit // 2 - 1] + "…" + clean[-(limit // 2) :]
    return " " + clean if clean.startswith("_") else clean


def draw(axes: Axes, drawn: Sequence[Series], scale: float = 1.0) -> None:
    """Draws y * scale over x: a line, the interval where there is one, hollow markers for what was
    not steady."""
    for one in drawn:
        style = one.style
        axes.plot(
            [p.x for p in one.points],
            [p.y * scale for p in one.points],
            color=style.colour,
            ls=style.dash,
            zorder=3,
        )
        bars = [p for p in one.points if p.low is not None and p.high is not None]
        if bars:
            axes.errorbar(
                [p.x for p in bars],
                [p.y * scale for p in bars],
                yerr=[
                    [max(0.0, p.y - p.low) * scale for p in bars],
                    [max(0.0, p.high - p.y) * scale for p in bars],
                ],
                fmt="none",
                ecolor=style.colour,
                elinewidth=1.4,
                capsize=3,
                zorder=4,
            )
        for hollow in (False, True):
            some = [p for p in one.points if p.hollow == hollow]
            look = dot(
                style.colour, style.marker, hollow=hollow, zorder=6 if hollow else 5
            )  # never below a steady one
            axes.plot([p.x for p in some], [p.y * scale for p in some], **look)


def handle(style: Style, *, line: bool = True, marker: bool = True) -> Line2D:
    return Line2D(
        [],
        [],
        color=style.colour,
        linestyle=style.dash if line else "none",
        marker=style.marker if marker else "none",
    )


def dot(colour: str, marker: str, *, hollow: bool = False, **more: object) -> dict[str, Any]:
    """The look of a point without a line, in a plot or in a legend."""
    face = "white" if hollow else colour
    return {"linestyle": "none", "color": colour, "marker": marker, "markerfacecolor": face} | more


def hollow_entry(found: bool, text: str = "hollow: not steady") -> dict[str, Artist]:
    """What a legend says of hollow points where there are any."""
    return {text: Line2D([], [], **dot(GREY, "o", hollow=True))} if found else {}


_MOST_LEGEND_ENTRIES = 14
_PREFIXES = ("", "k", "M", "G", "T")


def any_hollow(drawn: Iterable[Series]) -> bool:
    return any(p.hollow for one in drawn for p in one.points)


def ceiling_handle(roof: Roof) -> Line2D:
    return Line2D([], [], **_ceiling(roof))


def _ceiling(roof: Roof) -> dict[str, Any]:
    return {"color": GREY, "linestyle": roof_dash(roof), "linewidth": 1.4}


def roof_dash(roof: Roof) -> str | tuple[int, tuple[float, ...]]:
    """Solid when measured, dots and dashes when that was not steady, dashed from a datasheet."""
    return DASHES[{"measured": 0, "not steady": 3, "datasheet": 1}[roof.origin]]


def ceiling_lines(
    axes: Axes, roofs: Iterable[Roof], scale: float, *, upright: bool = False
) -> None:
    for roof in roofs:
        (axes.axvline if upright else axes.axhline)(
            roof.value * scale, zorder=1.5, **_ceiling(roof)
        )


def unit_scale(values: Iterable[float], unit: str) -> tuple[float, str]:
    """The factor and the unit in which the largest value reads well: (1e-9, "GB/s"), or of ns
    (1e-6, "ms")."""
    largest = max(values, default=0.0)
    names = ["ns", "us", "ms", "s"] if unit == "ns" else [prefix + unit for prefix in _PREFIXES]
    step = max(at for at in range(len(names)) if at == 0 or largest >= 1000.0**at)
    return 1 / 1000.0**step, names[step]


def grid(figure: Figure, count: int, columns: int) -> list[Axes]:
    """Axes for that many panels, in rows from the top."""
    axes = list(figure.subplots(-(-count // columns), columns, squeeze=False).flat)
    for unused in axes[count:]:
        unused.remove()
    return axes[:count]


def legend(
    figure: Figure,
    drawn: Sequence[Series],
    extra: Mapping[str, Artist] | None = None,
    *,
    below: bool = False,
) -> None:
    """To the right of the panels (or below), in the order in which the lines end, so that it reads
    like the lines."""
    unique: dict[str, Series] = {}
    for one in sorted(drawn, key=lambda one: -one.points[-1].y):
        unique.setdefault(one.label, one)
    entries: dict[str, Artist] = {text: handle(one.style) for text, one in unique.items()}
    if len(entries) > _MOST_LEGEND_ENTRIES:
        kept = list(entries.items())[: _MOST_LEGEND_ENTRIES - 1]
        entries = dict(kept) | {
            f"and {len(entries) - len(kept)} more": Line2D([], [], linestyle="none")
        }
    entries |= hollow_entry(any_hollow(drawn)) | (extra or {})
    if below:
        legend_below(figure, entries)
    else:
        figure.legend(list(entries.values()), list(entries), loc="outside right center")


def legend_below(figure: Figure, entries: Mapping[str, Artist]) -> None:
    """Below the panels, in as few rows as the figure's width allows, with columns filled alike."""
    room = figure.bbox.width * 0.97
    for rows in range(1, len(entries) + 1):
        columns = -(-len(entries) // rows)
        made = figure.legend(
            list(entries.values()),
            list(entries),
            loc="outside lower center",
            ncols=columns,
            columnspacing=1.5,
            handletextpad=0.6,
            handlelength=2.2,
        )
        if columns == 1 or made.get_window_extent(figure.canvas.get_renderer()).width <= room:
            return
        made.remove()


def settle(figure: Figure) -> None:
    """Places the panels for good, which takes their texts' sizes and no drawing: whatever is drawn
    or written later shows this layout, and looks for no other."""
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
        figure.set_layout_engine(
            None
        )  # "none" would leave a placeholder, for which savefig draws everything twice


def ticks(axis: Axis, values: Iterable[float], text: Callable[[float], str], most: int = 6) -> None:
    """Ticks where there are points, thinned to at most `most`."""
    places = sorted(set(values))
    step = -(-len(places) // most)
    ticks_at(axis, places[::step], text)


def ticks_at(axis: Axis, places: Sequence[float], text: Callable[[float], str]) -> None:
    axis.set_major_locator(FixedLocator(places))
    axis.set_major_formatter(lambda value, _: text(value))
    axis.set_minor_locator(NullLocator())


def label_rows(axes: Axes, labels: Sequence[str]) -> None:
    """Names the rows of an axes, the first at the top."""
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.grid(False, axis="y")


def bar(axes: Axes, row: float, point: Point, scale: float, height: float) -> None:
    """y * scale as a bar, hollow for what was not steady, and its interval where there is one."""
    face = "white" if point.hollow else BLUE
    axes.barh(row, point.y * scale, height, facecolor=face, edgecolor=BLUE, zorder=2)
    if point.low is not None and point.high is not None:
        reach = [[(point.y - point.low) * scale], [(point.high - point.y) * scale]]
        axes.errorbar(
            point.y * scale, row, xerr=reach, fmt="none", ecolor=INK, capsize=2.5, zorder=3
        )


def paged(items: Sequence[_Item], most: int, step: int = 1) -> list[tuple[tuple[_Item, ...], str]]:
    """As few pages as hold them, alike in length but for whole steps; of several each with "1 to 20
    of 36"."""
    count = -(-len(items) // most)
    size = step * -(-len(items) // (step * count)) if items else 1
    pages = [(start, tuple(items[start : start + size])) for start in range(0, len(items), size)]
    return [
        (some, f"{at + 1} to {at + len(some)} of {len(items)}" if count > 1 else "")
        for at, some in pages
    ]


def log_ticks(axis: Axis, text: Callable[[float], str]) -> None:
    """Labels at powers of ten, and between them the more the fewer decades the axis spans, so that
    it has several."""
    low, high = axis.get_view_interval()
    decades = math.log10(high / low)
    per_decade = ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0), (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0))
    subs = per_decade[sum(decades < limit for limit in (2.5, 1.5, 0.7))]
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_major_formatter(lambda value, _: text(value))
    axis.set_minor_formatter(lambda *_: "")
