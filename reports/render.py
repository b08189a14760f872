"""Turns figures into files: SVG for the page; PNG, SVG and PDF for slides, and CSV of what they
draw."""

from __future__ import annotations

import base64
import functools
import io
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from reports import counted, drawing_processes, figures, plot, table
from reports.model import Run

FORMATS = ("png", "svg", "pdf", "csv")
UNFINISHED = ".part"  # behind the name of a file that is not whole yet
PNG_DPI = 160
PNG_COMPRESSION = 3  # of 9: of lines and text no larger than with 6, in two thirds of the time


@dataclass(frozen=True)
class Picture:
    """A drawn figure. `svg` is one document; `files` are the paths of its files relative to the
    page, by format."""

    name: str
    title: str
    reading: str
    alt: str
    svg: str
    files: Mapping[str, str]

    @property
    def uri(self) -> str:
        """As an image rather than inline: what an SVG holds cannot act, and identifiers of two
        figures cannot meet."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg.encode("utf-8")).decode(
            "ascii"
        )


@dataclass(frozen=True)
class Files:
    """Where figures are written: into the folder figures/ of `output`, in these formats, with names
    that begin with `prefix`."""

    output: Path
    formats: Sequence[str] = FORMATS
    prefix: str = ""


def pictures(run: Run, files: Files) -> tuple[list[Picture], list[str]]:
    """Draws every figure that has something to show of `run`; also returns the others' titles."""
    kinds = figures.kinds("run")
    made = _drawn([_job(kind, kind.name, run.device.model, files, run) for kind in kinds])
    return (
        [picture for picture in made if picture],
        [kind.title for kind, picture in zip(kinds, made, strict=True) if not picture],
    )


def count_pictures(run: Run, files: Files) -> dict[str, list[Picture]]:
    """Draws every figure of counts that has something to show, suite by suite; suites without one
    are left out."""
    suites, jobs = [], []
    words: set[str] = set()
    for suite in counted.suites(run):
        word = file_word(suite)
        word = word if word not in words else f"{word}-{len(words)}"
        words.add(word)
        own = [
            kind for kind in figures.kinds("run") if kind.name == suite
        ]  # may say something without times, too
        some = [_job(kind, kind.name, run.device.model, files, run) for kind in own]
        for kind in figures.kinds("suite"):
            heading = f"{plot.shown(suite, 24)}: {kind.title[:1].lower()}{kind.title[1:]}"
            name = f"{kind.name}-{word}"
            some.append(_job(kind, name, run.device.model, files, run, suite, heading=heading))
        suites += [suite] * len(some)
        jobs += some
    return _grouped(suites, jobs)


def paged_pictures(of: str, subject: Any, about: str, files: Files) -> list[list[Picture]]:
    """Draws every figure that has something to show of `subject`, a "gate", a "trend" or a
    "comparison"; one of several pages is as many pictures. `about` stands behind each title."""
    names, jobs = [], []
    for kind in figures.kinds(of):
        for number, page in enumerate(kind.pages(subject), start=1):
            name = f"{kind.name}-{number}" if number > 1 else kind.name
            jobs.append(_job(kind, name, about, files, page))
            names.append(kind.name)
    return list(_grouped(names, jobs).values())


_Job = Callable[[], Picture | None]  # draws a figure; None when it has nothing to show


def _grouped(keys: Sequence[str], jobs: Sequence[_Job]) -> dict[str, list[Picture]]:
    drawn: dict[str, list[Picture]] = {}
    for key, picture in zip(keys, _drawn(jobs), strict=True):
        if picture:
            drawn.setdefault(key, []).append(picture)
    return drawn


def _drawn(jobs: Sequence[_Job]) -> list[Picture | None]:
    with matplotlib.rc_context(plot.RC), warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", message="Glyph .* missing from font"
        )  # a box is drawn in its place
        return drawing_processes.each(jobs)


def _job(
    kind: figures.Kind,
    name: str,
    about: str,
    files: Files,
    *subject: Any,
    heading: str | None = None,
) -> _Job:
    def draw() -> Picture | None:
        figure = Figure(figsize=plot.SLIDE, layout="constrained")
        FigureCanvasAgg(figure)
        figure.suptitle(f"{heading or kind.title} · {plot.shown(about, 60)}", x=0.012, ha="left")
        if kind.draw(*subject, figure) is False:
            return None
        plot.settle(figure)
        vectors = functools.cache(lambda: svg(figure))  # of the page and of the file
        made: dict[str, Callable[[Path], object]] = {
            "png": lambda file: png(figure, kind.title, file),
            "svg": lambda file: file.write_text(vectors(), encoding="utf-8"),
            "pdf": lambda file: pdf(figure, kind.title, file),
            "csv": lambda file: file.write_bytes(table.csv_text(kind.data(*subject)).encode()),
        }
        written = {
            one: _written(files, f"{name}.{one}", made[one])
            for one in FORMATS
            if one in files.formats
        }
        return Picture(
            name, kind.title, kind.reading, alt_text(kind.title, figure), vectors(), written
        )

    return draw


def _written(files: Files, name: str, write: Callable[[Path], object]) -> str:
    """The file's path relative to the page. It is written beside its place first, so that there is
    never half a file."""
    file = files.output / "figures" / f"{files.prefix}{name}"
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(file.name + UNFINISHED)
    write(unfinished)
    unfinished.replace(file)
    return f"figures/{file.name}"


def png(figure: Figure, title: str, file: Path) -> None:
    figure.savefig(
        file,
        format="png",
        dpi=PNG_DPI,
        metadata={"Title": title},
        pil_kwargs={"compress_level": PNG_COMPRESSION},
    )


def pdf(figure: Figure, title: str, file: Path) -> None:
    about = {"Title": title, "Creator": None, "Producer": None, "CreationDate": None}
    figure.savefig(file, format="pdf", metadata=about)


def svg(figure: Figure) -> str:
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def alt_text(title: str, figure: Figure) -> str:
    """What the figure shows, in words: its panels with their axes, and the names in its legends."""
    parts = [title]
    for axes in figure.axes:
        across = f"over {axes.get_xlabel()}" if axes.get_xlabel() else ""
        words = [axes.get_title(loc="left"), axes.get_ylabel(), across]
        words = [" ".join(word.split()) for word in words]
        parts.append(", ".join(word for word in words if word))
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes if axes.get_legend())]
    names = [text.get_text() for one in legends for text in one.get_texts()]
    if names:
        parts.append("Lines: " + ", ".join(names))
    return ". ".join(part for part in parts if part) + "."


def file_word(text: str) -> str:
    """`text` as part of a file's name: letters, digits, dot, dash and underscore only."""
    return re.sub(r"[^A-Za-z0-9._-]+", "_", text)[:60].strip(".") or "run"
