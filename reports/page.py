"""The page: one HTML file that needs nothing else, with every name from the data escaped."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import jinja2

from reports import (
    comparison_page,
    counted_page,
    first_screen,
    gate_page,
    listing,
    run_page,
    trend_page,
)
from reports.load import Report
from reports.model import Run
from reports.section import KINDS, Section

_LAYOUTS = {
    "run": run_page.section,
    "counted": counted_page.section,
    "comparison": comparison_page.section,
    "trend": trend_page.section,
    "gate": gate_page.section,
}


def render(report: Report, sections: Sequence[Section]) -> str:
    sections = sorted(sections, key=lambda one: KINDS.index(one.kind))
    template = _environment().get_template("page.html.jinja")
    return template.render(
        report=report,
        title=", ".join(models(sections)),
        first=first_screen.first_screen(sections),
        sections=[_LAYOUTS[one.kind](one) for one in sections],
        style=_style("page.css"),
    )


def models(sections: Sequence[Section]) -> list[str]:
    """Whose page it is, each once."""
    named = []
    for one in sections:
        if one.kind == "comparison":
            named += [one.of.a.model, one.of.b.model]
        elif one.kind != "gate":
            named.append(one.of.model if one.kind == "trend" else one.of.device.model)
    return list(dict.fromkeys(named)) or [f"gate on {one.of.device.model}" for one in sections]


def render_listing(one: listing.Page, run: Run, anchor: str) -> str:
    """The page of one file; `anchor` is that of the run on the report's page."""
    template = _environment().get_template("listing.html.jinja")
    return template.render(
        page=one, run=run, anchor=anchor, style=_style("page.css") + _style("listing.css")
    )


def _style(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["when"] = when
    return environment


def when(timestamp: str) -> str:
    """ "2026-11-20T12:45:01Z" as "2026-11-20 12:45:01 UTC"; anything else as it is."""
    return (
        timestamp.replace("T", " ", 1).replace("Z", " UTC")
        if timestamp.endswith("Z")
        else timestamp
    )
