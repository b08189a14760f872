"""Charts of ratios with a row per case: an axis of log ratios from -limit to limit, marks with
intervals, and columns of text at the right."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from matplotlib.axes import Axes

from reports import plot

SIZE = 8.5  # points, of the text of a row
MARK = 6.0  # points, of the mark of a row


def set_up(axes: Axes, names: list[str], limit: float) -> None:
    """Room for a row a name from the top, below one of headings, and a line where nothing
    changes."""
    axes.set_xlim(-limit, limit)
    axes.set_ylim(len(names) - 0.4, -1.6)
    axes.axvline(0, color=plot.INK, linewidth=0.9, zorder=1)
    axes.set_yticks(range(len(names)), names, fontsize=SIZE)
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    axes.spines["left"].set_visible(False)


def interval(
    axes: Axes, place: float, low: float, high: float, limit: float, colour: str, width: float = 1.6
) -> None:
    """The part of it that the axis shows."""
    ends = [max(-limit, low), min(limit, high)]
    if ends[0] < ends[1]:
        axes.plot(
            ends, [place, place], color=colour, linewidth=width, solid_capstyle="butt", zorder=3
        )


def mark(
    axes: Axes, place: float, value: float, style: plot.Style, *, hollow: bool, size: float = MARK
) -> None:
    axes.plot(
        [value],
        [place],
        **plot.dot(style.colour, style.marker, hollow=hollow, markersize=size, zorder=5),
    )


def apart(
    places: Iterable[float], log: Callable[[float], float], gap: float, limit: float
) -> list[float]:
    """Those of the places, ascending, that an axis from -limit to limit can show, none nearer than
    `gap` to another or to no change, where `log` is 0."""
    kept = []
    for side in (1, -1):
        last = 0.0
        for place in sorted(
            (one for one in places if side * log(one) > 0), key=lambda one: abs(log(one))
        ):
            if last + gap <= abs(log(place)) <= limit:
                kept.append(place)
                last = abs(log(place))
    return sorted(kept)


def beyond(axes: Axes, place: float, text: str, limit: float, colour: str, *, right: bool) -> None:
    """Says at the edge what the axis does not reach."""
    axes.text(
        (0.97 if right else -0.97) * limit,
        place,
        f"{text} »" if right else f"« {text}",
        ha="right" if right else "left",
        va="center",
        fontsize=SIZE,
        color=colour,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        zorder=5,
    )


def shade(style: plot.Style) -> str:
    """The colour of its words: orange ones are hard to read."""
    return plot.INK if style.colour == plot.ORANGE else style.colour


def columns(
    axes: Axes, place: float, cells: Iterable[tuple[str, float, str, str]], *, bold: bool = False
) -> None:
    """Text at the right of a row: (text, points from the axis, the side of the text that stands
    there, colour)."""
    for text, offset, side, colour in cells:
        axes.annotate(
            text,
            (1, place),
            xycoords=axes.get_yaxis_transform(),
            xytext=(offset, 0),
            textcoords="offset points",
            ha=side,
            va="center",
            fontsize=SIZE,
            fontweight="bold" if bold else "normal",
            color=colour,
            annotation_clip=False,
        )
