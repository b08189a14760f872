"""What the overview says of each device that has a history."""

from __future__ import annotations

from dataclasses import dataclass

from reports import when
from reports.case_index import CaseIndex


@dataclass(frozen=True)
class DeviceWords:
    name: str
    product: str
    address: str  # of the table of its cases
    cases: int
    runs: int
    first: str
    last: str
    environments: int


def devices(index: CaseIndex) -> list[DeviceWords]:
    return [
        DeviceWords(
            name=one.name,
            product=one.history.device.name,
            address=one.address,
            cases=len(one.history.cases),
            runs=len(one.history.runs),
            first=when.minute(one.history.runs[0].started) if one.history.runs else "",
            last=when.minute(one.history.runs[-1].started) if one.history.runs else "",
            environments=len(one.history.environments),
        )
        for one in index.devices
    ]
