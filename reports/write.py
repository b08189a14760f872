"""Writes a report: the figures first, the page last, so that a page never points at what is not there."""

from __future__ import annotations

from pathlib import Path

from reports import page, render
from reports.model import Report


def write(report: Report, output: Path) -> Path:
    """Returns the path of the page. With several runs each figure's file begins with the model's name."""
    sections = []
    taken: set[str] = set()
    for number, run in enumerate(report.runs, start=1):
        word = render.file_word(run.device.model)
        anchor = word if word not in taken else f"{word}-{number}"
        taken.add(anchor)
        prefix = f"{anchor}-" if len(report.runs) > 1 else ""
        pictures, not_drawn = render.pictures(run, output, prefix)
        sections.append(page.Section(anchor, run, pictures, not_drawn))
    text = page.render(report, sections)
    unfinished, finished = output / "index.html.part", output / "index.html"
    unfinished.write_text(text, encoding="utf-8")
    return unfinished.replace(finished)
