"""What the overview says of each device that has a history."""

from __future__ import annotations

from dataclasses import dataclass

from reports import when
from reports.case_index import CaseIndex
from reports.model_history import History


@dataclass(frozen=True)
class DeviceWords:
    name: str
    product: str
    address: str
    cases_address: str
    cases: int
    runs: str
    first: str
    last: str
    environments: int


def devices(index: CaseIndex) -> list[DeviceWords]:
    return [
        DeviceWords(
            name=one.name,
            product=one.history.device.name,
            address=one.address,
            cases_address=one.cases,
            cases=len(one.history.cases),
            runs=_runs(one.history),
            first=when.minute(one.history.runs[0].started) if one.history.runs else "",
            last=when.minute(one.history.runs[-1].started) if one.history.runs else "",
            environments=len(one.history.environments),
        )
        for one in index.devices
    ]


def _runs(history: History) -> str:
    shown = len(history.runs)
    return f"{shown} of {shown + history.older}" if history.older else str(shown)
