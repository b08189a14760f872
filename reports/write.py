"""Writes a report: figures first, the page last."""

from __future__ import annotations

from pathlib import Path

from reports import figures, gate_page, page, render
from reports.model import Report


def write(report: Report, output: Path) -> Path:
    """Returns the path of the page. With several runs each figure's file begins with the model's name."""
    _remove_figures(output)
    sections = []
    taken: set[str] = set()
    for number, run in enumerate(report.runs, start=1):
        word = render.file_word(run.device.model)
        anchor = word if word not in taken else f"{word}-{number}"
        taken.add(anchor)
        prefix = f"{anchor}-" if len(report.runs) > 1 else ""
        pictures, not_drawn = render.pictures(run, output, prefix)
        sections.append(page.Section(anchor, run, pictures, not_drawn))
    gates = []
    for number, gate in enumerate(report.gates, start=1):
        word = f"gate-{render.file_word(gate.device.model)}"
        anchor = word if word not in taken else f"{word}-{number}"
        taken.add(anchor)
        prefix = f"{render.file_word(gate.device.model)}-{number}-" if len(report.gates) > 1 else ""
        gates.append(gate_page.Section(anchor, gate, render.gate_pictures(gate, output, prefix)))
    text = page.render(report, sections, gates)
    unfinished, finished = output / "index.html.part", output / "index.html"
    unfinished.write_text(text, encoding="utf-8")
    return unfinished.replace(finished)


def _remove_figures(output: Path) -> None:
    """Figures of an earlier report, which this one may not draw; other files are left alone."""
    for kind in (*figures.kinds(), *figures.gate_kinds()):
        for pattern in (
            f"{kind.name}.png",
            f"*-{kind.name}.png",
            f"{kind.name}-[0-9]*.png",
            f"*-{kind.name}-[0-9]*.png",
        ):
            for file in (output / "figures").glob(pattern):
                file.unlink()
