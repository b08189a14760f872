"""What the overview says of the latest result of each case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from reports.case_index import CaseIndex, Device, OnDevice
from reports.model import Case


@dataclass(frozen=True)
class Best:
    """The fastest own case of a suite on a device."""

    name: str
    variant: str
    share: str
    roof: str
    address: str


def best(index: CaseIndex) -> dict[str, dict[int, Best]]:
    """By suite and the number of the device: of cases that ended well, measure no roof and beat
    none, that with the highest rate, FLOP/s before B/s; a vendor library's where there is no
    other."""
    found: dict[str, dict[int, tuple[tuple[float, ...], Best]]] = {}
    for place in index.places:
        for on in place.on:
            rank = _rank(on.case)
            if rank is None:
                continue
            of_suite = found.setdefault(on.past.suite, {})
            if on.device.number not in of_suite or rank > of_suite[on.device.number][0]:
                of_suite[on.device.number] = rank, _best(on, place.address)
    return {
        suite: {number: one for number, (_, one) in some.items()} for suite, some in found.items()
    }


def _rank(case: Case) -> tuple[float, ...] | None:
    fits = case.state == "good" and not case.measures_roof and not case.beats_roof
    rate = case.flop_rate or case.byte_rate
    return (not case.vendor, bool(case.flop_rate), rate) if fits and rate else None


def _best(on: OnDevice, address: str) -> Best:
    case = on.case
    share = case.words.get("share", "")
    return Best(case.name, f"{case.variant} {case.dtype}", share, case.roof, address)


def elsewhere(index: CaseIndex, device: Device) -> list[Case]:
    """The latest results of cases whose last run is not in the document."""
    on = (one for place in index.places for one in place.on)
    return [one.case for one in on if one.device is device and not one.in_document]


def wrong(cases: Iterable[Case]) -> list[tuple[str, bool]]:
    """In words, each with whether it is bad or casts doubt."""
    cases = list(cases)
    ended = Counter((case.outcome, case.state) for case in cases)
    told = [
        (f"{count} {outcome}", state == "failed")
        for (outcome, state), count in ended.items()
        if state in ("failed", "unsteady")
    ]
    if beating := sum(case.beats_roof for case in cases):
        told.append((f"{beating} faster than the roof allows, which is a measuring error", True))
    return sorted(told, key=lambda one: not one[1])
