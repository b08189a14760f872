"""Turns figures into files: SVG for the page, PNG for a slide."""

from __future__ import annotations

import base64
import contextlib
import io
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from reports import counted, figures, plot
from reports.model import Run

PNG_DPI = 160


@dataclass(frozen=True)
class Picture:
    """A drawn figure. `svg` is one document; `png` the file's path relative to the page."""

    name: str
    title: str
    reading: str
    alt: str
    svg: str
    png: str


def pictures(run: Run, output: Path, prefix: str = "") -> tuple[list[Picture], list[str]]:
    """Draws every figure that has something to show of `run` into output/figures; also returns the others' titles."""
    drawn, empty = [], []
    with _drawing():
        for kind in figures.kinds():
            figure = _blank(kind.title, run.device.model)
            if kind.draw(run, figure):
                drawn.append(_picture(kind, kind.name, figure, _folder(output), prefix))
            else:
                empty.append(kind.title)
    return drawn, empty


def count_pictures(run: Run, output: Path, prefix: str = "") -> list[tuple[str, list[Picture]]]:
    """Draws every figure of counts that has something to show, suite by suite; suites without one are left out."""
    drawn = []
    words: set[str] = set()
    with _drawing():
        for suite in counted.suites(run):
            word = file_word(suite)
            word = word if word not in words else f"{word}-{len(words)}"
            words.add(word)
            made = []
            for kind in figures.count_kinds():
                figure = _blank(f"{plot.shown(suite, 24)}: {_lower(kind.title)}", run.device.model)
                if kind.draw_suite(run, suite, figure):
                    made.append(_picture(kind, f"{kind.name}-{word}", figure, _folder(output), prefix))
            for own in (kind for kind in figures.kinds() if kind.name == suite):
                figure = _blank(own.title, run.device.model)
                if own.draw(run, figure):  # a suite whose figure says something without times, too
                    made.insert(0, _picture(own, own.name, figure, _folder(output), prefix))
            if made:
                drawn.append((suite, made))
    return drawn


def _lower(title: str) -> str:
    return title[:1].lower() + title[1:]


def paged_pictures(of: str, subject: Any, about: str, output: Path, prefix: str = "") -> list[tuple[Picture, ...]]:
    """Draws every figure that has something to show of `subject`, a "gate", a "trend" or a "comparison"; one of several
    pages is as many pictures. `about` stands behind each title."""
    drawn = []
    with _drawing():
        for kind in figures.paged_kinds(of):
            made = []
            for number, page in enumerate(kind.pages(subject), start=1):
                figure = _blank(kind.title, about)
                kind.draw_page(page, figure)
                name = f"{kind.name}-{number}" if number > 1 else kind.name
                made.append(_picture(kind, name, figure, _folder(output), prefix))
            if made:
                drawn.append(tuple(made))
    return drawn


@contextlib.contextmanager
def _drawing() -> Iterator[None]:
    with matplotlib.rc_context(plot.RC), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")  # a box is drawn in its place
        yield


def _folder(output: Path) -> Path:
    folder = output / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _blank(title: str, about: str) -> Figure:
    figure = Figure(figsize=plot.SLIDE, layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(f"{title} · {plot.shown(about, 60)}", x=0.012, ha="left")
    return figure


def _picture(
    kind: figures.Kind | figures.CountKind | figures.PagedKind, name: str, figure: Figure, folder: Path, prefix: str
) -> Picture:
    png = folder / f"{prefix}{name}.png"
    plot.settle(figure)
    figure.set_layout_engine(None)  # settled: both files show the same layout, and neither is drawn once more to find it
    figure.savefig(png, dpi=PNG_DPI, metadata={"Title": kind.title})
    return Picture(name, kind.title, kind.reading, alt_text(kind.title, figure), svg(figure), f"figures/{png.name}")


def svg(figure: Figure) -> str:
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def data_uri(svg: str) -> str:
    """As an image rather than inline: what an SVG holds cannot act, and identifiers of two figures cannot meet."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode("utf-8")).decode("ascii")


def alt_text(title: str, figure: Figure) -> str:
    """What the figure shows, in words: its panels with their axes, and the names in its legends."""
    parts = [title]
    for axes in figure.axes:
        across = f"over {axes.get_xlabel()}" if axes.get_xlabel() else ""
        words = [axes.get_title(loc="left"), axes.get_ylabel(), across]
        parts.append(", ".join(word for word in words if word))
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes if axes.get_legend())]
    names = [text.get_text() for one in legends for text in one.get_texts()]
    if names:
        parts.append("Lines: " + ", ".join(names))
    return ". ".join(part for part in parts if part) + "."


def file_word(text: str) -> str:
    """`text` as part of a file's name: letters, digits, dot, dash and underscore only."""
    return re.sub(r"[^A-Za-z0-9._-]+", "_", text)[:60].strip(".") or "run"
