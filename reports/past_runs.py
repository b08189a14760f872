"""Runs of a device as rows of tables: what is equal for all cases is made once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reports import when
from reports.chart_data import FINISHED, SHORT_COMMIT
from reports.model_history import History, PastRun

_COMMIT = re.compile(r"[0-9a-f]{7,64}")


@dataclass(frozen=True)
class RunWords:
    """`commit_at` is the commit's address, or empty; `unfit` is why the machine was not fit."""

    id: str
    status: str
    profile: str
    started: str
    commit: str
    commit_at: str
    dirty: bool
    letter: str
    label: str
    unfit: str

    @property
    def unended(self) -> bool:
        """Whether its status needs a word."""
        return self.status != FINISHED


@dataclass(frozen=True)
class EnvironmentWords:
    letter: str
    since: str
    changed: str


def runs(history: History, commits: str) -> list[RunWords]:
    return [
        RunWords(
            run.id,
            run.status,
            run.profile,
            when.minute(run.started),
            run.commit[:SHORT_COMMIT],
            f"{commits}{run.commit}" if commits and _is_linked(run) else "",
            run.dirty,
            letter(run.environment),
            run.label,
            run.unfit,
        )
        for run in history.runs
    ]


def _is_linked(run: PastRun) -> bool:
    return run.linked and _COMMIT.fullmatch(run.commit) is not None


def environments(history: History) -> list[EnvironmentWords]:
    first: dict[int, str] = {}
    for run in history.runs:
        first.setdefault(run.environment, when.minute(run.started))
    return [
        EnvironmentWords(letter(at), first.get(at, ""), one.changed)
        for at, one in enumerate(history.environments)
    ]


def letter(environment: int) -> str:
    """A, B, … Z, AA, AB, …"""
    letters, left = "", environment + 1
    while left:
        left, rest = divmod(left - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def last(places: Sequence[int], most: int) -> list[int]:
    """The newest first."""
    return sorted(places, reverse=True)[:most]
