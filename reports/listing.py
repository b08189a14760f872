"""Pages of annotated sources: one per file that counted cases have accesses in, each case's counts
line by line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from reports import render
from reports.model import Case, Run, Site, Source

FOLDER = "listings"  # of the pages, beside the report's
UNKNOWN = "file not known"
MOST_CASES = 60  # of one page
WHOLE_BELOW = 400  # lines; of longer files the regions around accesses are shown
CONTEXT = 12  # lines of such a region, before and behind an access
LONGEST_LINE = 300


@dataclass(frozen=True)
class Line:
    """A line of source; `number` is None for a gap, whose text says how long it is."""

    number: int | None
    text: str
    accesses: tuple[Site, ...] = ()

    @property
    def marked(self) -> bool:
        return any(site.wasteful for site in self.accesses)


@dataclass(frozen=True)
class Listing:
    """One case in one file."""

    anchor: str
    case: Case
    kernels: tuple[str, ...]
    worst_sectors: str  # "8x": the worst mark of each kind, or empty
    worst_wavefronts: str
    lines: tuple[Line, ...]
    lost: tuple[Line, ...]  # accesses on lines that the source does not have; `text` says which
    note: str  # why there is no source, or empty
    elsewhere: tuple[tuple[str, str], ...] = ()  # other files of the case: name, address


@dataclass(frozen=True)
class Page:
    file: str  # empty where the debug information names none
    address: str  # of the page's file, beside the other listings
    listings: tuple[Listing, ...]
    more_cases: int
    worst_sectors: str
    worst_wavefronts: str

    @property
    def name(self) -> str:
        return self.file or UNKNOWN


def pages(run: Run, prefix: str) -> list[Page]:
    """In order of the files' names; addresses begin with `prefix`."""
    cases_of: dict[str, list[Case]] = {}
    for case in run.cases:
        for file in dict.fromkeys(site.file for site in case.sites):
            cases_of.setdefault(file, []).append(case)
    names = sorted(cases_of)
    addresses = {
        file: f"{prefix}{number:02}-{render.file_word(file.rpartition('/')[2] or 'unknown')}.html"
        for number, file in enumerate(names, start=1)
    }
    anchors = {
        (file, case.name): f"c{at}"
        for file in names
        for at, case in enumerate(cases_of[file], start=1)
    }

    def listing(case: Case, file: str) -> Listing:
        others = dict.fromkeys(site.file for site in case.sites if site.file != file)
        elsewhere = tuple(
            (other or UNKNOWN, f"{addresses[other]}#{anchors[other, case.name]}")
            for other in others
        )
        return replace(
            _listing(case, run.source(case, file), file, anchors[file, case.name]),
            elsewhere=elsewhere,
        )

    made = []
    for file in names:
        sites = [site for case in cases_of[file] for site in case.sites if site.file == file]
        listings = tuple(listing(case, file) for case in cases_of[file][:MOST_CASES])
        made.append(
            Page(
                file, addresses[file], listings, len(cases_of[file]) - len(listings), *_worst(sites)
            )
        )
    return made


def links(pages_of_run: Sequence[Page]) -> dict[str, str]:
    """For each case the address of its listing in the file where it has the most requests."""
    best: dict[str, tuple[int, str]] = {}
    for page in pages_of_run:
        for listing in page.listings:
            requests = sum(site.requests for site in listing.case.sites if site.file == page.file)
            if requests > best.get(listing.case.name, (-1, ""))[0]:
                best[listing.case.name] = (requests, f"{page.address}#{listing.anchor}")
    return {name: address for name, (_, address) in best.items()}


def _listing(case: Case, source: Source | None, file: str, anchor: str) -> Listing:
    sites = [site for site in case.sites if site.file == file]
    kernels = tuple(dict.fromkeys(site.kernel for site in sites))
    text = source.text.removesuffix("\n").split("\n") if source and source.text else []
    by_line: dict[int, list[Site]] = {}
    for site in sites:
        by_line.setdefault(site.line, []).append(site)
    inside = {line: accesses for line, accesses in by_line.items() if 1 <= line <= len(text)}
    lost = tuple(
        Line(
            None,
            f"line {line}" if line else "of no line that the debug information names",
            tuple(accesses),
        )
        for line, accesses in sorted(by_line.items())
        if line not in inside
    )
    return Listing(
        anchor,
        case,
        kernels,
        *_worst(sites),
        tuple(_lines(text, inside)),
        lost,
        _why_not(source, bool(lost)),
    )


def _why_not(source: Source | None, lost: bool) -> str:
    if source is None:
        return "The source was not kept."
    if source.text is None:
        return f"The source is left out: it has {source.bytes} bytes."
    return (
        "Some accesses are on lines that the source as it was kept does not have." if lost else ""
    )


def _lines(text: Sequence[str], accesses: dict[int, list[Site]]) -> Iterable[Line]:
    """All lines of a short file; of a long one those near an access, with gaps between."""
    if not accesses:
        return
    shown = range(1, len(text) + 1)
    if len(text) >= WHOLE_BELOW:
        near = {line + by for line in accesses for by in range(-CONTEXT, CONTEXT + 1)}
        shown = sorted(line for line in near if 1 <= line <= len(text))
    last = 0
    for number in (*shown, len(text) + 1):
        if number > last + 1:
            yield Line(None, f"{number - last - 1} lines without accesses")
        if number <= len(text):
            whole = text[number - 1].expandtabs(4)
            cut = whole if len(whole) <= LONGEST_LINE else whole[:LONGEST_LINE] + "…"
            yield Line(number, cut, tuple(accesses.get(number, ())))
        last = number


def _worst(sites: Sequence[Site]) -> list[str]:
    """The largest factor of uncoalesced accesses and of bank conflicts, in words."""
    return [
        max((getattr(site, what) or 0, site.words.get(what, "")) for site in sites)[1]
        for what in ("uncoalesced", "conflicts")
    ]
