"""Turns figures into files: SVG for the page, PNG for a slide."""

from __future__ import annotations

import base64
import contextlib
import io
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from reports import counted, drawing_processes, figures, plot
from reports.model import Run

PNG_DPI = 160
PNG_COMPRESSION = 3  # of 9: of lines and text no larger than with 6, in two thirds of the time


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
    kinds = figures.kinds()
    made = _drawn([_of_run(kind, run, output, prefix) for kind in kinds])
    return (
        [picture for picture in made if picture],
        [kind.title for kind, picture in zip(kinds, made, strict=True) if not picture],
    )


def count_pictures(run: Run, output: Path, prefix: str = "") -> list[tuple[str, list[Picture]]]:
    """Draws every figure of counts that has something to show, suite by suite; suites without one are left out."""
    suites, jobs = [], []
    words: set[str] = set()
    for suite in counted.suites(run):
        word = file_word(suite)
        word = word if word not in words else f"{word}-{len(words)}"
        words.add(word)
        own = [kind for kind in figures.kinds() if kind.name == suite]  # may say something without times, too
        some = [_of_run(kind, run, output, prefix) for kind in own]
        some += [_of_suite(kind, run, suite, word, output, prefix) for kind in figures.count_kinds()]
        suites += [suite] * len(some)
        jobs += some
    drawn: dict[str, list[Picture]] = {}
    for suite, picture in zip(suites, _drawn(jobs), strict=True):
        if picture:
            drawn.setdefault(suite, []).append(picture)
    return list(drawn.items())


def paged_pictures(of: str, subject: Any, about: str, output: Path, prefix: str = "") -> list[tuple[Picture, ...]]:
    """Draws every figure that has something to show of `subject`, a "gate", a "trend" or a "comparison"; one of several
    pages is as many pictures. `about` stands behind each title."""
    kinds, jobs = [], []
    for kind in figures.paged_kinds(of):
        for number, page in enumerate(kind.pages(subject), start=1):
            name = f"{kind.name}-{number}" if number > 1 else kind.name
            jobs.append(_of_page(kind, page, name, about, output, prefix))
            kinds.append(kind.name)
    drawn: dict[str, list[Picture]] = {}
    for name, picture in zip(kinds, _drawn(jobs), strict=True):
        assert picture
        drawn.setdefault(name, []).append(picture)
    return [tuple(some) for some in drawn.values()]


_Job = Callable[[], Picture | None]  # draws a figure; None when it has nothing to show


def _drawn(jobs: Sequence[_Job]) -> list[Picture | None]:
    with _drawing():
        return drawing_processes.each(jobs)


def _of_run(kind: figures.Kind, run: Run, output: Path, prefix: str) -> _Job:
    def draw() -> Picture | None:
        figure = _blank(kind.title, run.device.model)
        return _picture(kind, kind.name, figure, output, prefix) if kind.draw(run, figure) else None

    return draw


def _of_suite(kind: figures.CountKind, run: Run, suite: str, word: str, output: Path, prefix: str) -> _Job:
    def draw() -> Picture | None:
        figure = _blank(f"{plot.shown(suite, 24)}: {_lower(kind.title)}", run.device.model)
        some = kind.draw_suite(run, suite, figure)
        return _picture(kind, f"{kind.name}-{word}", figure, output, prefix) if some else None

    return draw


def _of_page(kind: figures.PagedKind, page: Any, name: str, about: str, output: Path, prefix: str) -> _Job:
    def draw() -> Picture:
        figure = _blank(kind.title, about)
        kind.draw_page(page, figure)
        return _picture(kind, name, figure, output, prefix)

    return draw


def _lower(title: str) -> str:
    return title[:1].lower() + title[1:]


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
    kind: figures.Kind | figures.CountKind | figures.PagedKind, name: str, figure: Figure, output: Path, prefix: str
) -> Picture:
    png = _folder(output) / f"{prefix}{name}.png"
    plot.settle(figure)
    figure.savefig(png, dpi=PNG_DPI, metadata={"Title": kind.title}, pil_kwargs={"compress_level": PNG_COMPRESSION})
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
