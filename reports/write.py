"""Writes a report: figures and listings first, the page last."""

from __future__ import annotations

from pathlib import Path

from reports import counted_page, figures, gate_page, listing, page, render, run_page
from reports.model import Report, Run


def write(report: Report, output: Path) -> Path:
    """Returns the path of the page. With several runs each figure's file begins with the model's name."""
    _remove_old(output)
    sections = []
    counted = []
    taken: set[str] = set()
    for number, run in enumerate(report.runs, start=1):
        word = render.file_word(run.device.model)
        anchor = word if word not in taken else f"{word}-{number}"
        taken.add(anchor)
        prefix = f"{anchor}-" if len(report.runs) > 1 else ""
        if run.counted:
            counted.append(_counted(run, anchor, output, prefix))
            continue
        pictures, not_drawn = render.pictures(run, output, prefix)
        sections.append(run_page.Section(anchor, run, pictures, not_drawn))
    gates = []
    for number, gate in enumerate(report.gates, start=1):
        word = f"gate-{render.file_word(gate.device.model)}"
        anchor = word if word not in taken else f"{word}-{number}"
        taken.add(anchor)
        prefix = f"{render.file_word(gate.device.model)}-{number}-" if len(report.gates) > 1 else ""
        drawn = render.paged_pictures("gate", gate, gate.device.model, output, prefix)
        gates.append(gate_page.Section(anchor, gate, drawn))
    return _write(output / "index.html", page.render(report, page.Sections(sections, counted, gates)))


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
