"""Writes a report: figures and listings first, the page last."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

from reports import compared, figures, listing, page, render
from reports.load import Report
from reports.model import Run
from reports.section import Section

_UNFINISHED = re.escape(render.UNFINISHED)


def write(report: Report, output: Path) -> Path:
    """Returns the path of the page. With several runs each figure's file begins with the model's
    name, with several gates, trends or comparisons with whose they are. What ends before the page
    is written leaves none, also none of an earlier report, whose figures are gone."""
    _remove_old(output)
    try:
        return _draw(report, output)
    except BaseException:
        _remove(output / "figures", rf".*{_UNFINISHED}")
        raise


def _draw(report: Report, output: Path) -> Path:
    taken: set[str] = set()
    sections = []
    for run in report.runs:
        anchor = _anchor(taken, run.device.model)
        prefix = f"{anchor}-" if len(report.runs) > 1 else ""
        sections.append((_counted if run.counted else _timed)(run, anchor, output, prefix))
    for kind, subjects, about in (
        ("gate", report.gates, lambda gate: gate.device.model),
        ("trend", report.trends, lambda trend: trend.model),
        ("comparison", report.comparisons, compared.title),
    ):
        for number, subject in enumerate(subjects, start=1):
            prefix = f"{render.file_word(about(subject))}-{number}-" if len(subjects) > 1 else ""
            drawn = render.paged_pictures(kind, subject, about(subject), output, prefix)
            sections.append(
                Section(kind, _anchor(taken, f"{kind}-{about(subject)}"), subject, drawn)
            )
    return _write(output / "index.html", page.render(report, sections))


def _anchor(taken: set[str], text: str) -> str:
    """The name of a place on the page, which nothing else there has."""
    word = render.file_word(text)
    names = itertools.chain([word], (f"{word}-{number}" for number in itertools.count(2)))
    anchor = next(name for name in names if name not in taken)
    taken.add(anchor)
    return anchor


def _timed(run: Run, anchor: str, output: Path, prefix: str) -> Section:
    pictures, not_drawn = render.pictures(run, output, prefix)
    return Section("run", anchor, run, [[picture] for picture in pictures], not_drawn)


def _counted(run: Run, anchor: str, output: Path, prefix: str) -> Section:
    """Draws the figures and writes the listings of a run without times."""
    pages = listing.pages(run, prefix)
    for one in pages:
        (output / listing.FOLDER).mkdir(parents=True, exist_ok=True)
        _write(output / listing.FOLDER / one.address, page.render_listing(one, run, anchor))
    return Section(
        "counted", anchor, run, suites=render.count_pictures(run, output, prefix), listings=pages
    )


def _write(file: Path, text: str) -> Path:
    """Beside the file first, so that there is never half a page."""
    unfinished = file.with_name(file.name + render.UNFINISHED)
    unfinished.write_text(text, encoding="utf-8")
    return unfinished.replace(file)


def _remove_old(output: Path) -> None:
    """The page, figures and listings of an earlier report, which this one may not have; other files
    are left alone."""
    (output / "index.html").unlink(missing_ok=True)
    names = "|".join(
        f"{kind.name}-.*" if kind.of == "suite" else rf"{kind.name}(-\d.*)?"
        for kind in figures.kinds()
    )
    for folder, ours in (
        (listing.FOLDER, r"(.*-)?\d\d.*-.*\.html"),
        ("figures", rf"(.*-)?({names})\.png"),
    ):
        _remove(output / folder, rf"{ours}({_UNFINISHED})?")


def _remove(folder: Path, names: str) -> None:
    for file in folder.glob("*"):
        if re.fullmatch(names, file.name):
            file.unlink()
