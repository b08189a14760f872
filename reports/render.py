"""Turns figures into files: SVG for the page, PNG for a slide."""

from __future__ import annotations

import io
import re
import warnings
from dataclasses import dataclass
from pathlib import Path

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from reports import figures, plot
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
    folder = output / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    drawn, empty = [], []
    with matplotlib.rc_context(plot.RC), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")  # a box is drawn in its place
        for kind in figures.kinds():
            figure = Figure(figsize=plot.SLIDE, layout="constrained")
            FigureCanvasAgg(figure)
            figure.suptitle(f"{kind.title} · {plot.shown(run.device.model, 40)}", x=0.012, ha="left")
            if not kind.draw(run, figure):
                empty.append(kind.title)
                continue
            figure.draw_without_rendering()
            figure.set_layout_engine("none")  # settled: both files show the same layout
            png = folder / f"{prefix}{kind.name}.png"
            figure.savefig(png, dpi=PNG_DPI, metadata={"Title": kind.title})
            picture = Picture(
                kind.name, kind.title, kind.reading, alt_text(kind.title, figure), svg(figure), f"figures/{png.name}"
            )
            drawn.append(picture)
    return drawn, empty


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
        parts.append(", ".join(word for word in words if word))
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes if axes.get_legend())]
    names = [text.get_text() for one in legends for text in one.get_texts()]
    if names:
        parts.append("Lines: " + ", ".join(names))
    return ". ".join(part for part in parts if part) + "."


def file_word(text: str) -> str:
    """`text` as part of a file's name: letters, digits, dot, dash and underscore only."""
    return re.sub(r"[^A-Za-z0-9._-]+", "_", text)[:60].strip(".") or "run"
