"""The file that a study is kept in: JSON Lines, a study's settings first, then one line a gate.

What an interrupted or killed study has measured is there; the next one goes on after it. Lines that
cannot be understood are left out aloud, never counted.
"""

import errno
import json
import os
import stat
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, NotRequired, TypedDict

from msgspec import Meta, convert

from ci.studies.calibration.plan import PARTS, setting_text

VERSION = 2
MEASURED = ("pass", "undecided", "regression", "tail", "improvement")
_FAILED = ("wrong_result", "crashed", "timeout", "missing", "invalid_environment")
_NOT_COMPARED = ("no_baseline", "new", "same_code", "not_measured", "skipped")

_AtLeast0 = Annotated[float, Meta(ge=0, le=sys.float_info.max)]
_Samples = Annotated[list[Annotated[float, Meta(gt=0, le=sys.float_info.max)]], Meta(min_length=1)]


_Share = Annotated[float, Meta(ge=0, le=1)]
_PLANT = r"^--slow-(samples|processes) [0-9.]{1,6}:[0-9.]{1,6}$"
_Facts = dict[str, str | bool | int | float]


class _Settings(TypedDict):
    profile: str
    cases: list[str]
    device_kind: NotRequired[Literal["cuda"]]
    budget_s: NotRequired[_AtLeast0]
    suspects: NotRequired[int]


class _Study(TypedDict):
    kind: Literal["study"]
    version: Literal[VERSION]
    settings: _Settings
    machine: _Facts
    build: NotRequired[_Facts]
    load: NotRequired[float]
    started: NotRequired[str]


class _Time(TypedDict):
    prepare_ns: _AtLeast0
    verify_ns: _AtLeast0
    warmup_ns: _AtLeast0
    timed_ns: _AtLeast0


class _Case(TypedDict):
    case: str
    verdict: Literal[*MEASURED, *_FAILED, *_NOT_COMPARED]
    pairs: Annotated[float, Meta(ge=0, le=1e6)]
    ratio: NotRequired[_AtLeast0 | None]
    ratio_low: NotRequired[_AtLeast0 | None]
    ratio_high: NotRequired[_AtLeast0 | None]
    work_ratio: NotRequired[_AtLeast0]
    # Of the candidate: processes with more work than others, and executions that were done again.
    slow_processes: NotRequired[_Share]
    slow_executions: NotRequired[_Share]
    baseline: list[_Samples]  # of each process
    candidate: list[_Samples]


class _Gate(TypedDict):
    kind: Literal["gate"]
    part: Literal[*PARTS]
    extra: Annotated[float, Meta(ge=-99, le=1000)]
    delta: Annotated[float, Meta(ge=0, le=10)]
    plant: NotRequired[Annotated[str, Meta(pattern=_PLANT)]]
    planted_case: NotRequired[str]
    alpha: Annotated[float, Meta(ge=1e-12, le=1)]
    suite: Annotated[float, Meta(ge=1, le=1e6)]
    wall_s: _AtLeast0
    step_s: _AtLeast0
    time: _Time
    cases: Annotated[list[_Case], Meta(min_length=1)]


TIMES = tuple(_Time.__annotations__)


class JournalError(Exception):
    """The file cannot be used."""


@dataclass
class Journal:
    study: dict | None = None
    gates: list[dict] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)  # "line 3: why"


def check_gate(gate: object) -> dict:
    """`gate` when it is one that a study writes; raises ValueError otherwise."""
    convert(gate, _Gate)
    for case in gate["cases"]:
        if case["verdict"] not in MEASURED:
            continue
        if case.get("ratio") is None:
            raise ValueError("a verdict on times has no ratio")
        if len(case["baseline"]) != len(case["candidate"]):
            raise ValueError("a round has one side only")
    setting_text(gate["extra"], gate.get("plant", ""))  # that it can be told
    return gate


def read(file: Path) -> Journal:
    """What is in the file; nothing when there is none. Raises JournalError when it is no
    study's."""
    try:
        _check_regular(file)
        data = file.read_bytes()
    except FileNotFoundError:
        return Journal()
    except OSError as error:
        raise JournalError(f"{file} cannot be read: {error.strerror}") from error
    journal = Journal()
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            if number == 1:
                convert(record, _Study)
                journal.study = record
            else:
                journal.gates.append(check_gate(record))
        except (ValueError, RecursionError) as error:  # of JSON and of UTF-8 too
            if number == 1:
                raise JournalError(f"{file} is no study: {error}") from error
            journal.left_out.append(f"line {number}: {error}")
    if journal.study is None and data.strip():
        raise JournalError(f"{file} is no study: it does not begin with one")
    return journal


def _check_regular(file: Path) -> None:
    """A FIFO or a device would be waited for. Raises OSError."""
    if not stat.S_ISREG(file.stat().st_mode):
        raise OSError(errno.EINVAL, "it is no regular file", str(file))


def append(file: Path, record: dict) -> None:
    """Adds a line that is on the disk when this returns; one that a kill cut short is closed
    first."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("ab+") as stream:
            stream.seek(0, os.SEEK_END)
            cut_short = False
            if stream.tell() > 0:
                stream.seek(-1, os.SEEK_END)
                cut_short = stream.read(1) != b"\n"
            line = json.dumps(record, separators=(",", ":"), allow_nan=False)
            stream.write(b"\n" * cut_short + line.encode() + b"\n")
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        raise JournalError(f"{file} cannot be written: {error.strerror}") from error
