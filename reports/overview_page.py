"""What the overview says of each device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports import when
from reports.case_index import CaseIndex, Device
from reports.model_history import History
from reports.section import Section


@dataclass(frozen=True)
class DeviceWords:
    """`address` and `cases_address` are empty of a device that gates alone have measured."""

    name: str
    product: str
    address: str
    cases_address: str
    cases: int
    runs: str
    first: str
    last: str
    environments: int


def devices(index: CaseIndex, sections: Sequence[Section]) -> list[DeviceWords]:
    """Those with a history, then those of gates alone; none where no device has a history."""
    of_runs = [_of_history(one) for one in index.devices]
    return of_runs and [*of_runs, *_of_gates_alone(index, sections)]


def _of_gates_alone(index: CaseIndex, sections: Sequence[Section]) -> list[DeviceWords]:
    known = {one.history.device.model for one in index.devices}
    gated = {one.of.device.model: one.of.device.name for one in sections if one.kind == "gate"}
    return [
        DeviceWords(
            name=model,
            product=product,
            address="",
            cases_address="",
            cases=0,
            runs="0",
            first="",
            last="",
            environments=0,
        )
        for model, product in gated.items()
        if model not in known
    ]


def _of_history(one: Device) -> DeviceWords:
    return DeviceWords(
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


def _runs(history: History) -> str:
    shown = len(history.runs)
    return f"{shown} of {shown + history.older}" if history.older else str(shown)
