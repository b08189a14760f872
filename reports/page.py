"""The pages of a report: HTML files that need nothing but each other, with every name from the data
escaped."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2
from markupsafe import Markup, escape

from reports import (
    case_index,
    case_page,
    cases_page,
    claims_page,
    compared,
    comparison_page,
    counted_page,
    device_page,
    first_screen,
    gate_page,
    listing,
    overview_page,
    policy,
    run_page,
    script,
    trend_page,
    when,
)
from reports.case_index import CaseIndex, Place
from reports.load import Report
from reports.section import KINDS, Section
from reports.told import Tellings

INDEX = "index.html"
MARK = '<meta name="generator" content="Ridgeline report">'
"""In the head of every page, so that a later report knows its own."""

_LONG_NAME = 40  # letters
_BREAKS = re.compile(r",|/(?=[^/]*$)")
_LAYOUTS = {
    "run": run_page.section,
    "counted": counted_page.section,
    "comparison": comparison_page.section,
    "trend": trend_page.section,
    "gate": gate_page.section,
}
SCRIPTED = {
    "cases": frozenset({"tables"}),
    "case": frozenset({"history", "samples"}),
    "run": frozenset({"roofline"}),
    "trend": frozenset({"nights"}),
}
"""Parts of the script that a page needs, by what it is of; others need none."""
_GROUPS = {
    "run": "Runs",
    "counted": "Counts",
    "comparison": "Side by side",
    "trend": "Nights",
    "gate": "Gates",
}


@dataclass(frozen=True)
class Page:
    """`address` is relative to the report's folder."""

    address: str
    text: Callable[[], str]


@dataclass(frozen=True)
class Link:
    title: str
    address: str


class Site:
    """All pages of a report but listings, which `listing_text` makes."""

    def __init__(self, report: Report, sections: Sequence[Section], index: CaseIndex) -> None:
        self.report = report
        self.sections = sorted(sections, key=lambda one: KINDS.index(one.kind))
        self.index = index
        self._tellings = Tellings(self.sections)
        self._cases = case_page.CaseLayout(
            self._tellings,
            report.commits,
            {one.of.key: one.address for one in self.sections if one.kind in ("run", "counted")},
        )

    def pages(self) -> list[Page]:
        """The overview last, which leads to all others."""
        made = [
            Page(case_index.file_of(number), functools.partial(self._case_page, number, places))
            for number, places in enumerate(self.index.pages, start=1)
        ]
        made += [Page(one.address, functools.partial(self._section, one)) for one in self.sections]
        if self.index.pages:
            made.append(Page(case_index.TABLE, self._case_table))
        made += [
            Page(one.address, functools.partial(self._device, one)) for one in self.index.devices
        ]
        if self.report.claims:
            made.append(Page(claims_page.ADDRESS, self._claims))
        return [*made, Page(INDEX, self._overview)]

    def listing_text(self, one: listing.Page, of: Section) -> str:
        address = f"{listing.FOLDER}/{one.address}"
        title = f"{one.name} on {of.of.device.model}"
        return self._text("listing", address, title, page=one, run=of.of, section=of)

    def _overview(self) -> str:
        return self._text(
            "overview",
            INDEX,
            ", ".join(models(self.sections, self.index)),
            first=first_screen.first_screen(self.sections, self.index),
            devices=overview_page.devices(self.index, self.sections),
            sections=[_LAYOUTS[one.kind](one) for one in self.sections],
            count=self.index.count,
            cases=case_index.TABLE,
            suites=case_index.suite_addresses(self.index),
            claims=claims_page.ADDRESS,
        )

    def _section(self, one: Section) -> str:
        laid_out = _LAYOUTS[one.kind](one)
        return self._text("section", one.address, title_of(one), one.kind, one=laid_out)

    def _case_table(self) -> str:
        rows = cases_page.rows(self.index, self._tellings)
        noun = "cases" if len(rows) == self.index.count else "results"
        return self._text(
            "cases",
            case_index.TABLE,
            "Cases",
            "cases",
            rows=rows,
            noun=noun,
            count=self.index.count,
        )

    def _device(self, device: case_index.Device) -> str:
        laid_out = device_page.layout(device, self.index, self.sections, self.report.commits)
        return self._text("device", device.address, device.name, one=laid_out)

    def _claims(self) -> str:
        return self._text(
            "claims",
            claims_page.ADDRESS,
            claims_page.TITLE,
            parts=claims_page.parts(self.report.claims, self.sections),
            links=self.index.links,
            open_cases=claims_page.OPEN_CASES,
            colour=claims_page.colour,
        )

    def _case_page(self, number: int, places: Sequence[Place]) -> str:
        parts = [self._cases.part(place) for place in places]
        first = (number - 1) * case_index.MOST_CASES + 1
        last = first + len(places) - 1
        return self._text(
            "case",
            case_index.file_of(number),
            f"Cases {first} to {last}" if first < last else f"Case {first}",
            "case",
            parts=parts,
            shared=self._cases.shared(parts),
            number=number,
            pages=len(self.index.pages),
            count=self.index.count,
        )

    def _text(self, template: str, address: str, title: str, kind: str = "", **more: object) -> str:
        root = "../" * address.count("/")
        own = script.text(SCRIPTED.get(kind, frozenset()))
        return (
            environment()
            .get_template(f"{template}.html.jinja")
            .render(
                report=self.report,
                title=title,
                address=address,
                root=root,
                navigation=self._navigation,
                index_at=INDEX,
                mark=MARK,
                style=style(),
                script=own,
                policy=policy.policy(style(), own),
                **more,
            )
        )

    @functools.cached_property
    def _navigation(self) -> list[tuple[str, list[Link]]]:
        """Groups of links, by name; that of one link is named after it."""
        groups = [("Overview", [Link("Overview", INDEX)])]
        if self.index.pages:
            groups.append(("Cases", [Link("Cases", case_index.TABLE)]))
        if self.index.devices:
            links = [Link(one.name, one.address) for one in self.index.devices]
            groups.append(("Devices" if len(links) > 1 else "Device", links))
        for kind, name in _GROUPS.items():
            links = [Link(title_of(one), one.address) for one in self.sections if one.kind == kind]
            if links:
                groups.append((name, links))
        if self.report.claims:
            groups.append((claims_page.TITLE, [Link(claims_page.TITLE, claims_page.ADDRESS)]))
        return groups


def title_of(one: Section) -> str:
    """What its page is called where others stand beside it."""
    if one.kind == "comparison":
        return compared.title(one.of)
    if one.kind == "gate":
        return gate_page.title(one.of)
    return one.of.model if one.kind == "trend" else one.of.device.model


def models(sections: Iterable[Section], index: CaseIndex) -> list[str]:
    """Whose report it is, each once."""
    named, gated = [], []
    for one in sections:
        if one.kind == "comparison":
            named += [one.of.a.model, one.of.b.model]
        elif one.kind == "gate":
            gated.append(f"gate on {one.of.device.model}")
        else:
            named.append(one.of.model if one.kind == "trend" else one.of.device.model)
    named += [device.history.device.model for device in index.devices]
    return list(dict.fromkeys(named or gated))


@functools.cache
def style() -> str:
    """The one style sheet of all pages."""
    folder = Path(__file__).parent
    own = [(folder / name).read_text(encoding="utf-8") for name in ("page.css", "listing.css")]
    return "".join([*own, script.style()])


@functools.cache
def environment() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["when"] = when.second
    made.filters["breakable"] = breakable
    return made


def breakable(name: str) -> Markup:
    """The name of a case, which may go on in another line before and behind its fields where it is
    long: each such place costs a browser time."""
    text = str(escape(name))
    return Markup(_BREAKS.sub(r"\g<0><wbr>", text) if len(name) > _LONG_NAME else text)
