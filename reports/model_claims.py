"""What textbooks say beside what is stored of a device, as plain rows."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from reports.model import Device
from reports.model_row import Row

Verdict = Literal[
    "holds",
    "does_not_hold",
    "holds_only_when",
    "holds_where_told",
    "cannot_be_told",
    "not_measured",
]


class CheckWords(Row):
    """A check as `ridgeline report --claims` prints it; empty where something is not known."""

    verdict: str
    measured: str = ""
    border: str = ""


class Check(Row):
    """A quantity of a claim, `when` something is so; empty for the only one. `command` measures its
    `cases`; both are empty where no case can show it."""

    verdict: Verdict
    words: CheckWords
    when: str = ""
    cases: tuple[str, ...] = ()
    command: str = ""


class Claim(Row):
    """`words` are its verdict with the circumstances."""

    title: str
    says: str
    conditions: str
    verdict: Verdict
    words: str
    checks: Annotated[tuple[Check, ...], Meta(min_length=1)]


class DeviceClaims(Row):
    """`counts_text` says how many have which verdict; `runs` are the ids of those that results were
    taken from."""

    device: Device
    counts_text: str
    claims: tuple[Claim, ...]
    runs: tuple[str, ...] = ()
