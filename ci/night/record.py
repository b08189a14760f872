"""What is known of one night, on disk at any moment: `nightly/<id>/night.json`."""

import contextlib
import json
import os
import re
import secrets
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, TypedDict

from . import document
from .document import Odd
from .exit_code import WORDS

FORMAT, VERSION = "ridgeline-nightly", 1
_NIGHT = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{6}")  # the id of one, which its folder is named by

# A step ended "done" when it did its work, whatever it found; "failed" when it could not.
RUNNING, DONE, FAILED, LEFT_OUT, KILLED = "running", "done", "failed", "left out", "killed"
ExitCode = Literal[tuple(WORDS)]


def now() -> str:
    """UTC, ISO 8601, to the second, as the store writes points in time."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


class Options(TypedDict):
    """What the steps that go on with a night ask of its command line."""

    profile: str
    label: str
    device: str
    baseline: str
    config: str
    strict: bool
    github: bool
    without: list[str]
    export: list[Literal["csv", "jsonl", "google-benchmark"]]


class _Run(TypedDict):
    id: str
    started: str
    status: str
    label: str
    model: str
    device_uuid: str
    measurements: int
    outcomes: dict[str, int]


class Run(_Run, total=False):
    """As `ridgeline runs --json` tells of it."""

    profile: str


class FoundFinding(TypedDict):
    check: str
    level: str
    seen: str
    why: str
    do: str


class Looked(TypedDict):
    device: str
    fit: bool
    findings: list[FoundFinding]


class Problem(TypedDict):
    case: str
    outcome: str
    reason: str


@dataclass
class Step:
    name: str
    state: Literal["running", "done", "failed", "left out", "killed"] = RUNNING
    exit_code: ExitCode = 0  # what it contributes to the night's
    seconds: float = 0.0
    started: str = ""
    command: str = ""  # what repeats it
    said: str = ""  # what it found, or why it failed or was left out


@dataclass
class Night:
    id: str
    folder: Path
    started: str
    host: str
    command: str = ""
    state: Literal["running", "finished", "interrupted", "killed"] = RUNNING
    finished: str = ""
    exit_code: ExitCode | None = None
    preflight: list[Looked] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    options: Options = field(default_factory=dict)
    run: dict[str, Any] = field(default_factory=dict)  # a Run, or nothing
    runs: list[Run] = field(default_factory=list)  # of all GPUs, in place of `run`
    siblings: list[str] = field(default_factory=list)  # which of them are slower than the others
    problems: list[Problem] = field(default_factory=list)  # cases that are not ok
    gate: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def all_runs(self) -> list[Run]:
        return [Run(self.run)] if self.run else self.runs

    def step(self, name: str) -> Step | None:
        return next((step for step in self.steps if step.name == name), None)

    def save(self) -> None:
        """Whole or not at all, and on the disk when it returns. Raises OSError."""
        fields = asdict(self)
        del fields["folder"]
        write_whole(
            self.folder / "night.json",
            json.dumps({"format": FORMAT, "version": VERSION, **fields}, indent=2) + "\n",
        )


def new_night(nights: Path, command: str, options: dict) -> Night:
    """With a folder of its own, and stored. Raises OSError."""
    name = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()) + "-" + secrets.token_hex(3)
    night = Night(name, nights / name, now(), os.uname().nodename, command, options=options)
    night.folder.mkdir(parents=True)
    night.save()
    return night


class _Version(TypedDict):
    format: Literal[FORMAT]
    version: int


class _Head(_Version):
    options: Options


def load(folder: Path) -> Night | None:
    """Nothing where there is no night's record, or one of another version. Raises Odd for one that
    cannot be understood, and OSError."""
    try:
        text = document.read(folder / "night.json")
    except FileNotFoundError:  # the folder is another's, or the night died before it had one
        return None
    fields = document.decode(text, dict[str, Any])
    if document.check(fields, _Version)["version"] != VERSION:
        return None
    document.check(fields, _Head)
    if fields.get("run"):
        document.check(fields["run"], Run, "run")
    del fields["format"], fields["version"]
    return document.check({**fields, "folder": folder}, Night)


def unfinished(nights: Path, odd: Callable[[str], object]) -> list[Night]:
    """Nights that began and never ended, the oldest first. Only for who holds the lock: others may
    be running. A record that cannot be understood is set aside, and `odd` told of it; the folder of
    a night that was killed before it had one is removed."""
    found = []
    for folder in sorted(nights.iterdir()):
        if not folder.is_dir() or folder.is_symlink():
            continue
        if _NIGHT.fullmatch(folder.name) and not (folder / "night.json").exists():
            remove_unfinished(folder)
            with contextlib.suppress(OSError):  # it is not empty
                folder.rmdir()
                continue
        try:
            found.append(load(folder))
        except (Odd, OSError) as error:
            why = str(error) if isinstance(error, Odd) else error.strerror
            odd(set_aside(folder, why))
    return [night for night in found if night and night.state == RUNNING]


def set_aside(folder: Path, why: str, name: str = "night.json") -> str:
    """Renames a record, so that no other night meets it again; says so."""
    record = folder / name
    kept = folder / f"{name}.damaged"
    number = 1
    while os.path.lexists(kept):
        number += 1
        kept = folder / f"{name}.damaged-{number}"
    try:
        record.rename(kept)
    except OSError as error:
        return f"{record} cannot be understood ({why}), nor renamed: {error.strerror}"
    return f"{record} cannot be understood ({why}); it is kept as {kept.name}"


def remove_unfinished(folder: Path) -> None:
    """What is left of files that a killed night was about to write whole."""
    for name in ("night.json", "summary.md"):
        for path in folder.glob(f".{name}-*"):
            with contextlib.suppress(OSError):
                path.unlink()


def write_whole(path: Path, text: str) -> None:
    """Replaces `path` by a file that is whole and on the disk. Raises OSError, and then leaves what
    was there."""
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            os.fchmod(file.fileno(), 0o644)
        Path(temporary).replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise
