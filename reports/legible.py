"""For tests of figures: whether their texts can be read, with none cut off or covered."""

from __future__ import annotations

import itertools
import warnings

import matplotlib
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from reports import figures, plot


def drawn(kind: figures.Kind, *subject: object) -> Figure | None:
    """As a report draws it; None when it has nothing to show."""
    with matplotlib.rc_context(plot.RC), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = Figure(figsize=plot.SLIDE, layout="constrained")
        FigureCanvasAgg(figure)
        figure.suptitle("synthetic", x=0.012, ha="left")
        if kind.draw(*subject, figure) is False:
            return None
        figure.draw_without_rendering()
    return figure


def expect_legible(figure: Figure, smallest: float = 0.0) -> None:
    """That no text is cut off or smaller than that many points, and no labels of an axis cover
    each other."""
    with matplotlib.rc_context(plot.RC):
        canvas = Bbox.from_bounds(-1, -1, figure.bbox.width + 2, figure.bbox.height + 2)
        ticks = [tick_labels(axis) for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
        for text in itertools.chain(free_texts(figure), *ticks):
            box = Text.get_window_extent(text)
            assert canvas.contains(box.x0, box.y0), f"{text.get_text()!r} is cut off"
            assert canvas.contains(box.x1, box.y1), f"{text.get_text()!r} is cut off"
            assert text.get_fontsize() >= smallest, f"{text.get_text()!r} is small"
        for labels in ticks:
            for a, b in itertools.pairwise(labels):
                covered = overlap(a.get_window_extent(), b.get_window_extent())
                assert not covered, f"{a.get_text()!r} and {b.get_text()!r} cover each other"


def tick_labels(axis: Axis) -> list[Text]:
    """In order of place. Ticks outside the view keep their labels but do not draw them."""
    low, high = sorted(axis.get_view_interval())
    ticks = sorted(axis.get_major_ticks(), key=lambda tick: tick.get_loc())
    labels = [
        label
        for tick in ticks
        if low <= tick.get_loc() <= high
        for label in (tick.label1, tick.label2)
    ]
    return [label for label in labels if label.get_visible() and label.get_text()]


def free_texts(figure: Figure) -> list[Text]:
    """All other text: titles, axis labels, legends, notes."""
    texts = [*figure.texts]
    for axes in figure.axes:
        texts += [axes.title, axes._left_title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes)]
    texts += [text for legend in legends if legend for text in legend.get_texts()]
    return [text for text in texts if text.get_text().strip()]


def overlap(a: Bbox, b: Bbox) -> bool:
    return a.x0 < b.x1 - 1 and b.x0 < a.x1 - 1 and a.y0 < b.y1 - 1 and b.y0 < a.y1 - 1


def covering(texts: list[Text]) -> list[str]:
    """Which of the texts cover each other, two by two. Each is measured once: that is most of what
    it costs."""
    with matplotlib.rc_context(plot.RC):
        boxes = [(text.get_text(), Text.get_window_extent(text)) for text in texts]
    return [
        f"{a!r} and {b!r}"
        for (a, one), (b, other) in itertools.combinations(boxes, 2)
        if overlap(one, other)
    ]


def in_axes(figure: Figure, *, rotated: bool = True) -> list[str]:
    """Which texts within an axes cover each other; those that are `rotated` among them."""
    return [
        said
        for axes in figure.axes
        for said in covering(
            [
                text
                for text in (*axes.texts, axes._left_title)
                if text.get_text() and (rotated or not text.get_rotation())
            ]
        )
    ]
