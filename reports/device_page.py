"""A device's page: what it is and reaches, what changed of its environment, and its latest runs."""

from __future__ import annotations

from dataclasses import dataclass

from reports import latest, past_runs, run_page
from reports.case_index import CaseIndex, Device
from reports.latest import Best
from reports.model import Ceiling
from reports.model_row import Facts
from reports.past_runs import EnvironmentWords, RunWords
from reports.section import Section

MOST_RUNS = 30


@dataclass(frozen=True)
class DeviceLayout:
    """`runs` are the newest first, `pages` the addresses of those that have one, by id. `ceilings`
    are of the `measured` one; both are empty where no run with times has a page."""

    device: Device
    facts: tuple[tuple[str, Facts], ...]
    environments: tuple[tuple[EnvironmentWords, Facts], ...]
    best: tuple[tuple[str, Best], ...]
    runs: tuple[RunWords, ...]
    left_out: int
    pages: dict[str, str]
    measured: Section | None
    ceilings: tuple[tuple[Ceiling, str], ...]


def layout(device: Device, index: CaseIndex, sections: list[Section], commits: str) -> DeviceLayout:
    of = device.history.device
    history = device.history
    own = [
        one
        for one in sections
        if one.kind in ("run", "counted")
        and (one.of.device.model, one.of.device.uuid) == (of.model, of.uuid)
    ]
    measured = next((one for one in own if one.kind == "run"), None)
    runs = past_runs.runs(history, commits)
    environments = past_runs.environments(history)
    about = {"name": of.name, "uuid": of.uuid, "PCI id": of.pci_id, **of.properties}
    facts = (("", about), ("Must be equal to compare runs", of.comparable))
    known = ((title, {key: value for key, value in some.items() if value}) for title, some in facts)
    return DeviceLayout(
        device=device,
        facts=tuple((title, some) for title, some in known if some),
        environments=tuple(
            (words, one.comparable)
            for words, one in zip(environments, history.environments, strict=True)
        ),
        best=tuple(
            (suite, found[device.number])
            for suite, found in latest.best(index).items()
            if device.number in found
        ),
        runs=tuple(reversed(runs[-MOST_RUNS:])),
        left_out=len(runs) - min(len(runs), MOST_RUNS) + history.older,
        pages={one.of.id: one.address for one in own},
        measured=measured,
        ceilings=tuple(run_page.ceilings(measured.of)) if measured else (),
    )
