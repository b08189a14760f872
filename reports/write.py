"""Writes a report: figures and listings first, the page last."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from reports import compared, figures, listing, page, render
from reports.load import Report
from reports.model import Run
from reports.render import Files
from reports.section import Section

_UNFINISHED = re.escape(render.UNFINISHED)


def write(report: Report, output: Path, formats: Sequence[str] = render.FORMATS) -> Path:
    """Returns the path of the page; figures are written in these formats. With several runs each
    figure's file begins with the model's name, with several gates, trends or comparisons with whose
    they are. What ends before the page is written leaves none, also none of an earlier report,
    whose figures are gone."""
    _remove_old(output)
    try:
        return _draw(report, Files(output, formats))
    except BaseException:
        _remove(output / "figures", rf".*{_UNFINISHED}")
        raise


def _draw(report: Report, files: Files) -> Path:
    taken: set[str] = set()
    sections = []
    for run in report.runs:
        anchor = _anchor(taken, run.device.model)
        prefix = f"{anchor}-" if len(report.runs) > 1 else ""
        own = replace(files, prefix=prefix)
        sections.append((_counted if run.counted else _timed)(run, anchor, own))
    for kind, subjects, about in (
        ("gate", report.gates, lambda gate: gate.device.model),
        ("trend", report.trends, lambda trend: trend.model),
        ("comparison", report.comparisons, compared.title),
    ):
        for number, subject in enumerate(subjects, start=1):
            prefix = f"{render.file_word(about(subject))}-{number}-" if len(subjects) > 1 else ""
            own = replace(files, prefix=prefix)
            drawn = render.paged_pictures(kind, subject, about(subject), own)
            sections.append(
                Section(kind, _anchor(taken, f"{kind}-{about(subject)}"), subject, drawn)
            )
    return _write(files.output / "index.html", page.render(report, sections))


def _anchor(taken: set[str], text: str) -> str:
    """The name of a place on the page, which nothing else there has."""
    word = render.file_word(text)
    names = itertools.chain([word], (f"{word}-{number}" for number in itertools.count(2)))
    anchor = next(name for name in names if name not in taken)
    taken.add(anchor)
    return anchor


def _timed(run: Run, anchor: str, files: Files) -> Section:
    pictures, not_drawn = render.pictures(run, files)
    return Section("run", anchor, run, [[picture] for picture in pictures], not_drawn)


def _counted(run: Run, anchor: str, files: Files) -> Section:
    """Draws the figures and writes the listings of a run without times."""
    pages = listing.pages(run, files.prefix)
    folder = files.output / listing.FOLDER
    for one in pages:
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder / one.address, page.render_listing(one, run, anchor))
    return Section("counted", anchor, run, suites=render.count_pictures(run, files), listings=pages)


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
        ("figures", rf"(.*-)?({names})\.({'|'.join(render.FORMATS)})"),
    ):
        _remove(output / folder, rf"{ours}({_UNFINISHED})?")


def _remove(folder: Path, names: str) -> None:
    for file in folder.glob("*"):
        if re.fullmatch(names, file.name):
            file.unlink()
