"""Writes a report: figures and listings first, then pages, the overview last."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from reports import case_index, compared, drawing_processes, figures, listing, page, render
from reports.load import Report
from reports.model import Run
from reports.page import Site
from reports.render import Files
from reports.section import Section

_UNFINISHED = re.escape(render.UNFINISHED)
_HEAD = 2000  # bytes of a page, in which its mark stands
_MANY = 200  # cases whose pages are worth processes of their own


def write(report: Report, output: Path, formats: Sequence[str] = render.FORMATS) -> Path:
    """Returns the path of the overview; figures are written in these formats. With several runs
    each figure's file begins with the model's name, with several gates, trends or comparisons with
    whose they are. What ends before the overview is written leaves none, also none of an earlier
    report, whose figures and pages are gone."""
    _remove_old(output)
    try:
        return _draw(report, Files(output, formats))
    except BaseException:
        _remove_unfinished(output)
        raise


def _draw(report: Report, files: Files) -> Path:
    index = case_index.index_of(report)
    models: set[str] = set()
    taken: set[str] = set()
    sections = []
    for run in report.runs:
        model = _unused(models, run.device.model)
        own = replace(files, prefix=f"{model}-" if len(report.runs) > 1 else "")
        anchor = _unused(taken, f"run-{model}")
        sections.append((_counted if run.counted else _timed)(run, anchor, own))
    for kind, word, subjects, about in (
        ("gate", "gate", report.gates, lambda gate: gate.device.model),
        ("trend", "nights", report.trends, lambda trend: trend.model),
        ("comparison", "comparison", report.comparisons, compared.title),
    ):
        for number, subject in enumerate(subjects, start=1):
            prefix = f"{render.file_word(about(subject))}-{number}-" if len(subjects) > 1 else ""
            own = replace(files, prefix=prefix)
            drawn = render.paged_pictures(kind, subject, about(subject), own)
            anchor = _unused(taken, f"{word}-{about(subject)}")
            sections.append(Section(kind, anchor, subject, drawn))
    site = Site(report, [replace(one, links=index.links) for one in sections], index)
    return _write_pages(site, files.output)


def _write_pages(site: Site, output: Path) -> Path:
    for section in site.sections:
        for one in section.listings:
            file = output / listing.FOLDER / one.address
            _write(file, site.listing_text(one, section))
    *others, overview = site.pages()

    def job(one: page.Page) -> Callable[[], object]:
        return lambda: _write(output / one.address, one.text())

    jobs = [job(one) for one in others]
    if site.index.count < _MANY:
        for each in jobs:
            each()
    else:
        drawing_processes.each(jobs)
    return _write(output / overview.address, overview.text())


def _unused(taken: set[str], text: str) -> str:
    """A word for names of files and places, which nothing else has, whatever their case."""
    word = render.file_word(text)
    names = itertools.chain([word], (f"{word}-{number}" for number in itertools.count(2)))
    name = next(name for name in names if name.lower() not in taken)
    taken.add(name.lower())
    return name


def _timed(run: Run, anchor: str, files: Files) -> Section:
    pictures, not_drawn = render.pictures(run, files)
    return Section("run", anchor, run, [[picture] for picture in pictures], not_drawn)


def _counted(run: Run, anchor: str, files: Files) -> Section:
    """Draws the figures of a run without times."""
    suites = render.count_pictures(run, files)
    return Section("counted", anchor, run, suites=suites, listings=listing.pages(run, files.prefix))


def _write(file: Path, text: str) -> Path:
    """Beside the file first, so that there is never half a page."""
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(file.name + render.UNFINISHED)
    unfinished.write_text(text, encoding="utf-8")
    return unfinished.replace(file)


def _remove_old(output: Path) -> None:
    """The pages, figures and listings of an earlier report, which this one may not have, the
    overview first; other files are left alone."""
    (output / page.INDEX).unlink(missing_ok=True)
    _remove_unfinished(output)
    for folder, names, fits in _kinds_of_files(output):
        _remove(folder, names, fits)


def _remove_unfinished(output: Path) -> None:
    for folder, names, _ in _kinds_of_files(output):
        _remove(folder, rf"({names}){_UNFINISHED}")


def _kinds_of_files(output: Path) -> list[tuple[Path, str, Callable[[Path], bool]]]:
    """Folders of a report, what its files there are called, and what tells them from others."""
    kinds = "|".join(
        f"{kind.name}-.*" if kind.of == "suite" else rf"{kind.name}(-\d.*)?"
        for kind in figures.kinds()
    )
    formats = "|".join(render.FORMATS)
    return [
        (output, r"((run|gate|nights|comparison|device)-.*|index|cases|claims)\.html", is_page),
        (output / case_index.FOLDER, r"\d\d+\.html", is_page),
        (output / listing.FOLDER, r"(.*-)?\d\d.*-.*\.html", Path.is_file),
        (output / "figures", rf"(.*-)?({kinds})\.({formats})", Path.is_file),
    ]


def _remove(folder: Path, names: str, fits: Callable[[Path], bool] = Path.is_file) -> None:
    for file in folder.glob("*"):
        if re.fullmatch(names, file.name) and fits(file):
            file.unlink()


def is_page(file: Path) -> bool:
    """Whether a report wrote it."""
    try:
        with file.open("rb") as stream:
            return page.MARK.encode() in stream.read(_HEAD)
    except OSError:
        return False
