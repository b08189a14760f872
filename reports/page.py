"""The page: one HTML file that needs nothing else, with every name from the data escaped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from reports import comparison_page, counted_page, first_screen, gate_page, listing, run_page, trend_page, units
from reports.load import Report
from reports.model import Run


@dataclass(frozen=True)
class Sections:
    """What the page is made of, in its order."""

    runs: Sequence[run_page.Section] = ()
    counted: Sequence[counted_page.Section] = ()
    comparisons: Sequence[comparison_page.Section] = ()
    trends: Sequence[trend_page.Section] = ()
    gates: Sequence[gate_page.Section] = ()


def render(report: Report, sections: Sections) -> str:
    return (
        _environment()
        .get_template("page.html.jinja")
        .render(
            report=report,
            title=", ".join(models(sections)),
            first=first_screen.first_screen(
                (*sections.runs, *sections.counted), sections.gates, sections.trends, sections.comparisons
            ),
            sections=[run_page.section(one) for one in sections.runs],
            counted=[counted_page.section(one) | run_page.circumstances(one.run) for one in sections.counted],
            comparisons=[comparison_page.section(one) for one in sections.comparisons],
            trends=[trend_page.section(one) for one in sections.trends],
            gates=[gate_page.section(one) for one in sections.gates],
            style=_style("page.css"),
        )
    )


def models(sections: Sections) -> list[str]:
    """Whose page it is, each once."""
    named = [one.run.device.model for one in (*sections.runs, *sections.counted)]
    named += [model for one in sections.comparisons for model in (one.comparison.a.model, one.comparison.b.model)]
    named += [one.trend.model for one in sections.trends]
    return list(dict.fromkeys(named)) or [f"gate on {one.gate.device.model}" for one in sections.gates]


def render_listing(one: listing.Page, run: Run, anchor: str) -> str:
    """The page of one file; `anchor` is that of the run on the report's page."""
    template = _environment().get_template("listing.html.jinja")
    return template.render(page=one, run=run, anchor=anchor, style=_style("page.css") + _style("listing.css"))


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
    environment.filters |= {
        "time": units.time,
        "percent": units.percent,
        "factor": units.factor,
        "plain": units.plain,
        "when": when,
    }
    return environment


def when(timestamp: str) -> str:
    """ "2026-11-20T12:45:01Z" as "2026-11-20 12:45:01 UTC"; anything else as it is."""
    return timestamp.replace("T", " ", 1).replace("Z", " UTC") if timestamp.endswith("Z") else timestamp
