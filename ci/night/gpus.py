"""A night of all GPUs (`--device all`), each with a run of its own: what they came to, and which
GPU is slower than its siblings."""

from collections import Counter
from pathlib import Path
from typing import Any, TypedDict

from .context import Context, runs_of_label, written
from .record import Problem, Step

ALL = "all"


class _Device(TypedDict):
    id: str


class _RunOfGpu(TypedDict, total=False):
    device: _Device | str  # the latter where its run failed, which says how
    failed: str
    cases: list[Problem]


class _Sibling(TypedDict):
    device: str
    ratio: float


class Sibling(_Sibling, total=False):
    slower: bool


class _Siblings(TypedDict):
    devices: list[Sibling]


class Siblings(_Siblings, total=False):
    suite: str  # missing where it is all of them


class _RunsOfGpus(TypedDict):
    runs: list[_RunOfGpu]
    siblings: list[list[Siblings]]  # of each model, all suites first


def note_runs(context: Context, step: Step, output: Path, before: frozenset[str]) -> list[Problem]:
    """Fills in the night's runs, which began at the step's start or later and are not in `before`,
    and which GPU is slower, as `output` says, where `ridgeline run` has written. Returns all cases
    of it, whose reasons name their GPU."""
    night = context.night
    runs = [run for run in runs_of_label(context) if run["id"] not in before]
    night.runs = [run for run in runs if run["started"] >= step.started]
    cases: list[Problem] = []
    outcomes: Counter[str] = Counter()
    for run in night.runs:
        outcomes.update(run["outcomes"])
    counts = ", ".join(f"{count} {name}" for name, count in outcomes.items()) or "no measurements"
    said = [f"runs of {len(night.runs)} GPUs: {counts}"]
    told: Any = written(output, _RunsOfGpus, "run") or {"runs": [], "siblings": []}
    for run in told["runs"]:
        device = run.get("device", "a GPU")
        name = device if isinstance(device, str) else device["id"]
        if "failed" in run:
            said.append(f"{name}: the run {run['failed']}")
        for case in run.get("cases", []):
            cases.append({**case, "reason": ": ".join(filter(None, (name, case["reason"])))})
    night.siblings = [words for suites in told["siblings"] for words in slower(suites)]
    step.said = "; ".join(filter(None, (*said, *night.siblings, step.said)))
    return cases


def slower(suites: list[Siblings]) -> list[str]:
    """A line for each GPU that is slower than its siblings as a whole, or for the suites in which
    alone it is."""
    lines, as_a_whole = [], set()
    for suite in suites:
        for one in suite["devices"]:
            if not one.get("slower") or one["device"] in as_a_whole:
                continue
            where = f" in {suite['suite']}" if "suite" in suite else ""
            by = f"{100 * (one['ratio'] - 1):.1f}%"
            lines.append(f"{one['device']} is slower than its siblings by {by}{where}")
            if not where:
                as_a_whole.add(one["device"])
    return lines
