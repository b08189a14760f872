"""Pages of annotated sources: one a file that counted cases have accesses in, each case's counts line by line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from reports import render, units
from reports.model import Case, Run, Site, Source

FOLDER = "listings"  # of the pages, beside the report's
UNKNOWN = "file not known"
MOST_CASES = 60  # of one page
WHOLE_BELOW = 400  # lines; of longer files the regions around accesses are shown
CONTEXT = 12  # lines of such a region, before and behind an access
LONGEST_LINE = 300


@dataclass(frozen=True)
class Access:
    """A row of a listing: one site, with what it costs a request; empty texts where a quantity has no meaning."""

    what: str
    kernel: str  # empty where the listing has one kernel
    requests: str
    sectors: str
    wavefronts: str
    lanes: str
    uncoalesced: str  # "8×", or empty
    conflicts: str
    share: float | None  # of the sectors, or of the wavefronts, of the case
    memory: str  # "global", "shared" or empty


@dataclass(frozen=True)
class Line:
    """A line of source; `number` is None for a gap, whose text says how long it is."""

    number: int | None
    text: str
    accesses: tuple[Access, ...] = ()

    @property
    def marked(self) -> bool:
        return any(access.uncoalesced or access.conflicts for access in self.accesses)


@dataclass(frozen=True)
class Listing:
    """One case in one file."""

    anchor: str
    case: Case
    kernels: tuple[str, ...]
    worst_sectors: str  # "8×": the worst mark of each kind, or empty
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
    anchors = {(file, case.name): f"c{at}" for file in names for at, case in enumerate(cases_of[file], start=1)}

    def listing(case: Case, file: str) -> Listing:
        others = dict.fromkeys(site.file for site in case.sites if site.file != file)
        elsewhere = tuple((other or UNKNOWN, f"{addresses[other]}#{anchors[other, case.name]}") for other in others)
        return replace(_listing(case, run.source(case, file), file, anchors[file, case.name]), elsewhere=elsewhere)

    made = []
    for file in names:
        sites = [site for case in cases_of[file] for site in case.sites if site.file == file]
        listings = tuple(listing(case, file) for case in cases_of[file][:MOST_CASES])
        worst = _worst(site.uncoalesced for site in sites), _worst(site.conflicts for site in sites)
        made.append(Page(file, addresses[file], listings, len(cases_of[file]) - len(listings), *worst))
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
    by_line: dict[int, list[Access]] = {}
    for site in sites:
        by_line.setdefault(site.line, []).append(_access(site, case, name_kernel=len(kernels) > 1))
    inside = {line: accesses for line, accesses in by_line.items() if 1 <= line <= len(text)}
    lost = tuple(
        Line(None, f"line {line}" if line else "of no line that the debug information names", tuple(accesses))
        for line, accesses in sorted(by_line.items())
        if line not in inside
    )
    return Listing(
        anchor,
        case,
        kernels,
        _worst(site.uncoalesced for site in sites),
        _worst(site.conflicts for site in sites),
        tuple(_lines(text, inside)),
        lost,
        _why_not(source, bool(lost)),
    )


def _why_not(source: Source | None, lost: bool) -> str:
    if source is None:
        return "The source was not kept."
    if source.text is None:
        return f"The source is left out: it has {units.size(source.bytes)}."
    return "Some accesses are on lines that the source as it was kept does not have." if lost else ""


def _lines(text: Sequence[str], accesses: dict[int, list[Access]]) -> Iterable[Line]:
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


def _access(site: Site, case: Case, *, name_kernel: bool) -> Access:
    each = site.requests or 1
    memory = "global" if site.sectors else "shared" if site.wavefronts else ""
    total = {
        "global": sum(one.sectors for one in case.sites) + case.sites_left_out.sectors,
        "shared": sum(one.wavefronts for one in case.sites) + case.sites_left_out.wavefronts,
    }
    share = {"global": site.sectors, "shared": site.wavefronts}.get(memory, 0) / total[memory] if memory else None
    return Access(
        what=f"{site.access} {site.lane_bytes} B" if site.lane_bytes else site.access,
        kernel=site.kernel if name_kernel else "",
        requests=f"{site.requests:,}",
        sectors=f"{site.sectors / each:.2f}" if site.sectors else "",
        wavefronts=f"{site.wavefronts / each:.2f}" if site.wavefronts else "",
        lanes=f"{site.lanes / each:.1f}" if site.lanes else "",
        uncoalesced=_times(site.uncoalesced),
        conflicts=_times(site.conflicts),
        share=share,
        memory=memory,
    )


def _times(factor: float | None) -> str:
    return f"{units.plain(factor)}×" if factor else ""


def _worst(factors: Iterable[float | None]) -> str:
    return _times(max((factor for factor in factors if factor), default=None))
