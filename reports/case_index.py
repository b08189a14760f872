"""Where each case of the histories stands: on which page, under which anchor, and on which devices
it has results."""

from __future__ import annotations

import urllib.parse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reports.load import Report
from reports.model import Case
from reports.model_history import History, PastCase, PastRun

TABLE = "cases.html"  # of all cases
FOLDER = "cases"
MOST_CASES = 40  # of one page


@dataclass(frozen=True, eq=False)
class Device:
    """`number` is unique, and `name` tells it apart from the others."""

    number: int
    name: str
    history: History

    @property
    def address(self) -> str:
        """Of its own page."""
        return f"device-{self.number:02}.html"

    @property
    def cases(self) -> str:
        """The address of the table of all cases, with those of this device alone."""
        return f"{TABLE}#device={urllib.parse.quote(self.name, safe='')}"


@dataclass(frozen=True)
class OnDevice:
    """A case on a device: its past, and its latest result with the run of it, which may be
    `in_document` with all of its cases."""

    device: Device
    past: PastCase
    case: Case
    run: PastRun
    in_document: bool


@dataclass(frozen=True)
class Place:
    """`address` is relative to the report's folder."""

    name: str
    page: int
    anchor: str
    on: tuple[OnDevice, ...]

    @property
    def address(self) -> str:
        return f"{file_of(self.page)}#{self.anchor}"


@dataclass(frozen=True)
class CaseIndex:
    devices: tuple[Device, ...] = ()
    pages: tuple[tuple[Place, ...], ...] = ()
    links: Mapping[str, str] = field(default_factory=dict)  # of names, relative to the folder

    @property
    def places(self) -> list[Place]:
        return [place for page in self.pages for place in page]

    @property
    def count(self) -> int:
        return sum(map(len, self.pages))


def suite_addresses(index: CaseIndex) -> dict[str, str]:
    """By the suite, of the table of all cases with those of it alone."""
    suites = dict.fromkeys(on.past.suite for place in index.places for on in place.on)
    return {suite: f"{TABLE}#suite={urllib.parse.quote(suite, safe='')}" for suite in suites}


def file_of(page: int) -> str:
    return f"{FOLDER}/{page:02}.html"


def index_of(report: Report) -> CaseIndex:
    """In the order of suites, each in that of the histories."""
    runs = report.cases_of_runs()
    names = device_names(report.histories)
    devices = tuple(
        Device(at, name, history)
        for at, (name, history) in enumerate(zip(names, report.histories, strict=True), start=1)
    )
    found: dict[str, list[OnDevice]] = {}
    for device in devices:
        for past in device.history.cases:
            run = device.history.runs[past.latest.run]
            of_run = runs.get(device.history.key(past))
            case = past.latest.case or of_run[past.name]
            on = OnDevice(device, past, case, run, of_run is not None)
            found.setdefault(past.name, []).append(on)
    suites: dict[str, list[str]] = {}
    for name, on in found.items():
        suites.setdefault(on[0].past.suite, []).append(name)
    ordered = [name for of_suite in suites.values() for name in of_suite]
    pages = tuple(
        tuple(
            Place(name, first // MOST_CASES + 1, f"c{at}", tuple(found[name]))
            for at, name in enumerate(ordered[first : first + MOST_CASES], start=1)
        )
        for first in range(0, len(ordered), MOST_CASES)
    )
    links = {place.name: place.address for page in pages for place in page}
    return CaseIndex(devices, pages, links)


def device_names(histories: Sequence[History]) -> list[str]:
    """Each device's model; where two have one, with what tells the devices apart."""
    models = [history.device.model for history in histories]
    uuids = [history.device.uuid for history in histories]
    length = next(
        (most for most in (12, 20, 40) if len({one[:most] for one in uuids}) == len(uuids)), 80
    )
    named: list[str] = []
    for model, uuid in zip(models, uuids, strict=True):
        name = f"{model} ({uuid[:length]})" if models.count(model) > 1 and uuid else model
        while name in named:
            name = f"{name}, another"
        named.append(name)
    return named
