"""A run's page: its figures, its ceilings, and every case with how its number was
obtained."""

from __future__ import annotations

import shlex

from reports import chart_data
from reports.figures import roofline, roofs
from reports.model import Ceiling, Run
from reports.model_row import Facts
from reports.section import Section

_MOST_EXPLAINED = 500  # cases; of more, what bounds each stands on its own page alone


def circumstances(run: Run) -> dict[str, object]:
    """What the sections of all runs say, whether they have times or not."""
    return {
        "facts": facts(run),
        "built_from": built_from(run),
        "repeat": repeat(run),
    }


def section(one: Section) -> dict[str, object]:
    run = one.of
    drawn = chart_data.of_roofline(run, one.links)
    return vars(one) | {
        "roofline": drawn and chart_data.embedded(drawn),
        "lacking": roofline.lack(run, roofline.panel_of(run)) if drawn else None,
        "beating": [case for case in run.cases if case.beats_roof],
        "ceilings": ceilings(run),
        "explains": len(run.cases) <= _MOST_EXPLAINED or not one.links,
        **circumstances(run),
    }


def built_from(run: Run) -> str:
    """The commits of all workers, shortened; what is not known is called so."""
    commits = sorted(
        {build.commit[:12] or "unknown" for build in run.builds},
        key=lambda one: (one == "unknown", one),
    )
    if len(commits) > 2:
        return "several commits"
    return (
        " and ".join("an unknown commit" if one == "unknown" else one for one in commits)
        or "an unknown commit"
    )


def commit(run: Run) -> str:
    """The commit that all workers were built from, or an empty string when they differ or it is not
    known."""
    commits = {build.commit for build in run.builds}
    only = commits.pop() if len(commits) == 1 else ""
    return "" if only == "unknown" else only


def repeat(run: Run) -> list[str]:
    """The commands that do the run again, from a clone; of what was imported the one that did
    so."""
    if run.imported:
        return [run.repeat]
    known = commit(run)
    checkout = [f"git checkout {shlex.quote(known)}"] if known else []
    build = ["ci/setup", "cmake --preset release", "cmake --build --preset release"]
    return [*checkout, *build, f"build/release/bin/{run.repeat}"]


def ceilings(run: Run) -> list[tuple[Ceiling, str]]:
    """All roofs in the order of the figure, each with what was reached of its datasheet's."""
    lines = []
    for bar in (bar for panel in roofs.bars(run).values() for bar in panel):
        both = bar.measured and bar.datasheet and bar.measured.unit != "ns"
        lines.append((bar, f"{bar.measured.value / bar.datasheet.value:.1%}" if both else ""))
    return lines


def facts(run: Run) -> list[tuple[str, Facts]]:
    device, environment = run.device, run.environment
    tables = [
        (
            "Device",
            {
                "name": device.name,
                "uuid": device.uuid,
                "PCI id": device.pci_id,
                **device.properties,
            },
        ),
        (
            "Must be equal to compare runs",
            {**device.comparable, **environment.comparable, "hash": environment.hash},
        ),
        ("Recorded", {**device.recorded, **environment.recorded}),
    ]
    return [
        (title, {key: value for key, value in table.items() if value}) for title, table in tables
    ]
