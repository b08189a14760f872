"""The file that a study is kept in: JSON Lines, a study's settings first, then one line a gate.

What an interrupted or killed study has measured is there; the next one goes on after it. Lines that
cannot be understood are left out aloud, never counted.
"""

import json
import math
import os
from dataclasses import dataclass, field
from pathlib import Path

from ci.studies.calibration.plan import PARTS

VERSION = 2
MEASURED = ("pass", "undecided", "regression", "improvement")
VERDICTS = (
    *MEASURED,
    *(
        "wrong_result",
        "crashed",
        "timeout",
        "missing",
        "invalid_environment",
        "no_baseline",
        "new",
        "skipped",
    ),
)
TIMES = ("prepare_ns", "verify_ns", "warmup_ns", "timed_ns")


class JournalError(Exception):
    """The file cannot be used."""


@dataclass
class Journal:
    study: dict | None = None
    gates: list[dict] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)  # "line 3: why"


def _number(value: object, what: str, low: float = -math.inf, high: float = math.inf) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"{what} is no number")
    if not low <= value <= high:
        raise ValueError(f"{what} is {value:g}")
    return float(value)


def _processes(value: object, what: str) -> None:
    if not isinstance(value, list):
        raise ValueError(f"{what} is no list")
    for samples in value:
        if not isinstance(samples, list) or not samples:
            raise ValueError(f"a process of {what} has no samples")
        for sample in samples:
            if _number(sample, f"a sample of {what}") <= 0:
                raise ValueError(f"a sample of {what} is not above 0")


def check_gate(gate: object) -> dict:
    """`gate` when it is one that a study writes; raises ValueError otherwise."""
    if not isinstance(gate, dict) or gate.get("kind") != "gate":
        raise ValueError("it is no gate")
    if gate.get("part") not in PARTS:
        raise ValueError("its part is unknown")
    _number(gate.get("extra"), "extra", -99, 1000)
    _number(gate.get("delta"), "delta", 0, 10)
    _number(gate.get("alpha"), "alpha", 1e-12, 1)
    _number(gate.get("suite"), "suite", 1, 10**6)
    _number(gate.get("wall_s"), "wall_s", 0)
    _number(gate.get("step_s"), "step_s", 0)
    if not isinstance(gate.get("time"), dict):
        raise ValueError("time is missing")
    for name in TIMES:
        _number(gate["time"].get(name), name, 0)
    cases = gate.get("cases")
    if not isinstance(cases, list) or not cases:
        raise ValueError("it has no cases")
    for case in cases:
        if not isinstance(case, dict) or not isinstance(case.get("case"), str):
            raise ValueError("a case has no name")
        if case.get("verdict") not in VERDICTS:
            raise ValueError("a verdict is unknown")
        _number(case.get("pairs"), "pairs", 0, 10**6)
        for name in ("ratio", "ratio_low", "ratio_high"):
            if case.get(name) is not None:
                _number(case[name], name, 0)
        if case["verdict"] in MEASURED and case.get("ratio") is None:
            raise ValueError("a verdict on times has no ratio")
        for side in ("baseline", "candidate"):
            _processes(case.get(side), side)
    return gate


def read(file: Path) -> Journal:
    """What is in the file; nothing when there is none. Raises JournalError when it is no
    study's."""
    try:
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
                if not isinstance(record, dict) or record.get("kind") != "study":
                    raise ValueError("it does not begin with a study")
                if record.get("version") != VERSION:
                    raise ValueError(f"its version is {record.get('version')!r}, not {VERSION}")
                if not isinstance(record.get("settings"), dict) or not isinstance(
                    record.get("machine"), dict
                ):
                    raise ValueError("the study has no settings")
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
