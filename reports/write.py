"""Writes a report: figures and listings first, the page last."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from reports import (
    comparison_page,
    comparison_words,
    counted_page,
    figures,
    gate_page,
    listing,
    page,
    render,
    run_page,
    trend_page,
)
from reports.load import Report
from reports.model import Run

_Figures = list[tuple[render.Picture, ...]]


def write(report: Report, output: Path) -> Path:
    """Returns the path of the page. With several runs each figure's file begins with the model's name."""
    _remove_old(output)
    anchors = _Anchors()
    sections = []
    counted = []
    for run in report.runs:
        anchor = anchors.take(run.device.model)
        prefix = f"{anchor}-" if len(report.runs) > 1 else ""
        if run.counted:
            counted.append(_counted(run, anchor, output, prefix))
            continue
        pictures, not_drawn = render.pictures(run, output, prefix)
        sections.append(run_page.Section(anchor, run, pictures, not_drawn))

    def drawn(of: str, subjects: Sequence[Any], about: Callable[[Any], str]) -> Iterator[tuple[str, Any, _Figures]]:
        """Of each subject its anchor and its figures; with several, the figures' files begin with whose they are."""
        for number, subject in enumerate(subjects, start=1):
            prefix = f"{render.file_word(about(subject))}-{number}-" if len(subjects) > 1 else ""
            pictures = render.paged_pictures(of, subject, about(subject), output, prefix)
            yield anchors.take(f"{of}-{about(subject)}"), subject, pictures

    whole = page.Sections(
        runs=sections,
        counted=counted,
        gates=[gate_page.Section(*one) for one in drawn("gate", report.gates, lambda gate: gate.device.model)],
        trends=[trend_page.Section(*one) for one in drawn("trend", report.trends, lambda trend: trend.model)],
        comparisons=[
            comparison_page.Section(*one) for one in drawn("comparison", report.comparisons, comparison_words.title)
        ],
    )
    return _write(output / "index.html", page.render(report, whole))


class _Anchors:
    """Names of places on the page, each given once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, text: str) -> str:
        word = render.file_word(text)
        anchor, number = word, 1
        while anchor in self._taken:
            number += 1
            anchor = f"{word}-{number}"
        self._taken.add(anchor)
        return anchor


def _counted(run: Run, anchor: str, output: Path, prefix: str) -> counted_page.Section:
    """Draws the figures and writes the listings of a run without times."""
    pages = listing.pages(run, prefix)
    for one in pages:
        (output / counted_page.FOLDER).mkdir(parents=True, exist_ok=True)
        _write(output / counted_page.FOLDER / one.address, page.render_listing(one, run, anchor))
    return counted_page.Section(anchor, run, render.count_pictures(run, output, prefix), pages)


def _write(file: Path, text: str) -> Path:
    """Beside the file first, so that there is never half a page."""
    unfinished = file.with_name(file.name + ".part")
    unfinished.write_text(text, encoding="utf-8")
    return unfinished.replace(file)


def _remove_old(output: Path) -> None:
    """Figures and listings of an earlier report, which this one may not have; other files are left alone."""
    for pattern in ("[0-9][0-9]*-*.html", "*-[0-9][0-9]*-*.html"):
        for file in (output / counted_page.FOLDER).glob(pattern):
            file.unlink()
    for kind in figures.count_kinds():
        for pattern in (f"{kind.name}-*.png", f"*-{kind.name}-*.png"):
            for file in (output / "figures").glob(pattern):
                file.unlink()
    for kind in (*figures.kinds(), *figures.paged_kinds()):
        for pattern in (
            f"{kind.name}.png",
            f"*-{kind.name}.png",
            f"{kind.name}-[0-9]*.png",
            f"*-{kind.name}-[0-9]*.png",
        ):
            for file in (output / "figures").glob(pattern):
                file.unlink()
