"""What libFuzzer and the sanitizers say."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PROGRESS = re.compile(r"^#(\d+)\t.*?\bcov: (\d+)", re.MULTILINE)
_EXECUTED = re.compile(r"^stat::number_of_executed_units: (\d+)", re.MULTILINE)
# What tells findings apart, most telling first: our own words, the place of undefined behaviour,
# what libFuzzer ended, and the sanitizer's last line.
_FOUND = (
    re.compile(r"^FINDING: (.*)", re.MULTILINE),
    re.compile(r"^(\S+:\d+:\d+: runtime error: .*)", re.MULTILINE),
    re.compile(r"ERROR: libFuzzer: (timeout|out-of-memory).*", re.MULTILINE),
    re.compile(r"^SUMMARY: (.*)", re.MULTILINE),
    re.compile(r"(terminate called .*|.*ERROR: \w+Sanitizer.*)", re.MULTILINE),
)
_NUMBER = re.compile(r"0x[0-9a-f]+|\d{3,}")
LONGEST = 200  # letters


@dataclass
class Finding:
    what: str  # the same for inputs that find the same
    is_hang: bool = False


@dataclass
class Progress:
    inputs: int = 0
    edges: int = 0  # of the control flow, that were reached
    seconds: float = 0


def what_was_found(said: str) -> Finding | None:
    for each in _FOUND:
        if match := each.search(said):
            what = _NUMBER.sub("N", match[1])[:LONGEST]
            return Finding(what, is_hang=what == "timeout")
    return None


def last_progress(said: str, seconds: float) -> Progress:
    shown = _PROGRESS.findall(said)
    inputs, edges = map(int, shown[-1]) if shown else (0, 0)
    if executed := _EXECUTED.search(said):
        inputs = int(executed[1])
    return Progress(inputs, edges, seconds)
