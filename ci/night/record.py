"""What is known of one night, on disk at any moment: `nightly/<id>/night.json`."""

import contextlib
import json
import os
import secrets
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

FORMAT, VERSION = "ridgeline-nightly", 1

# A step ended "done" when it did its work, whatever it found; "failed" when it could not.
RUNNING, DONE, FAILED, LEFT_OUT, KILLED = "running", "done", "failed", "left out", "killed"


def now() -> str:
    """UTC, ISO 8601, to the second, as the store writes points in time."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


@dataclass
class Step:
    name: str
    state: str = RUNNING
    exit_code: int = 0  # what it contributes to the night's
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
    state: str = RUNNING  # finished, interrupted or killed at the end
    finished: str = ""
    exit_code: int | None = None
    preflight: list[dict] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    options: dict = field(default_factory=dict)  # what the steps need to be gone on with
    run: dict = field(default_factory=dict)  # as `ridgeline runs --json` tells of it
    problems: list[dict] = field(default_factory=list)  # cases that are not ok
    gate: dict = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

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


def load(folder: Path) -> Night | None:
    """Nothing where no night's record can be read: the folder is another's, or the night died
    before it had one."""
    try:
        fields = json.loads((folder / "night.json").read_text(encoding="utf-8"))
        if fields.pop("format") != FORMAT or fields.pop("version") != VERSION:
            return None
        fields["steps"] = [Step(**step) for step in fields["steps"]]
        return Night(folder=folder, **fields)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def unfinished(nights: Path) -> list[Night]:
    """Nights that began and never ended, the oldest first. Only for who holds the lock: others may
    be running."""
    found = (
        load(folder)
        for folder in sorted(nights.iterdir())
        if folder.is_dir() and not folder.is_symlink()
    )
    return [night for night in found if night and night.state == RUNNING]


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
