"""Turns figures into files: SVG for the page, PNG for a slide."""

from __future__ import annotations

import base64
import io
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from reports import counted, drawing_processes, figures, plot
from reports.model import Run

UNFINISHED = ".part"  # behind the name of a file that is not whole yet
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

    @property
    def uri(self) -> str:
        """As an image rather than inline: what an SVG holds cannot act, and identifiers of two
        figures cannot meet."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg.encode("utf-8")).decode(
            "ascii"
        )


def pictures(run: Run, output: Path, prefix: str = "") -> tuple[list[Picture], list[str]]:
    """Draws every figure that has something to show of `run` into output/figures; also returns the
    others' titles."""
    kinds = figures.kinds("run")
    made = _drawn([_job(kind, kind.name, run.device.model, output, prefix, run) for kind in kinds])
    return (
        [picture for picture in made if picture],
        [kind.title for kind, picture in zip(kinds, made, strict=True) if not picture],
    )


def count_pictures(run: Run, output: Path, prefix: str = "") -> dict[str, list[Picture]]:
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
        some = [_job(kind, kind.name, run.device.model, output, prefix, run) for kind in own]
        for kind in figures.kinds("suite"):
            heading = f"{plot.shown(suite, 24)}: {kind.title[:1].lower()}{kind.title[1:]}"
            name = f"{kind.name}-{word}"
            some.append(
                _job(kind, name, run.device.model, output, prefix, run, suite, heading=heading)
            )
        suites += [suite] * len(some)
        jobs += some
    return _grouped(suites, jobs)


def paged_pictures(
    of: str, subject: Any, about: str, output: Path, prefix: str = ""
) -> list[list[Picture]]:
    """Draws every figure that has something to show of `subject`, a "gate", a "trend" or a
    "comparison"; one of several pages is as many pictures. `about` stands behind each title."""
    names, jobs = [], []
    for kind in figures.kinds(of):
        for number, page in enumerate(kind.pages(subject), start=1):
            name = f"{kind.name}-{number}" if number > 1 else kind.name
            jobs.append(_job(kind, name, about, output, prefix, page))
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
    output: Path,
    prefix: str,
    *subject: Any,
    heading: str | None = None,
) -> _Job:
    def draw() -> Picture | None:
        figure = Figure(figsize=plot.SLIDE, layout="constrained")
        FigureCanvasAgg(figure)
        figure.suptitle(f"{heading or kind.title} · {plot.shown(about, 60)}", x=0.012, ha="left")
        if kind.draw(*subject, figure) is False:
            return None
        png = output / "figures" / f"{prefix}{name}.png"
        png.parent.mkdir(parents=True, exist_ok=True)
        plot.settle(figure)
        unfinished = png.with_name(png.name + UNFINISHED)
        figure.savefig(
            unfinished,
            format="png",
            dpi=PNG_DPI,
            metadata={"Title": kind.title},
            pil_kwargs={"compress_level": PNG_COMPRESSION},
        )
        unfinished.replace(png)
        return Picture(
            name,
            kind.title,
            kind.reading,
            alt_text(kind.title, figure),
            svg(figure),
            f"figures/{png.name}",
        )

    return draw


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
