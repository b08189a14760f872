"""What every step of a night is given."""

import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

from . import document, program
from .document import Odd
from .log import Log
from .program import Interrupted
from .record import Night, Run, now


@dataclass
class Context:
    ridgeline: Path
    results: str  # as on the command line, so that what is shown can be typed
    night: Night
    log: Log
    interrupted: Interrupted
    limit_s: float
    broken: list[str] = field(default_factory=list)  # records that could not be written
    codes: list[int] = field(default_factory=list)  # of what belongs to no step
    webhook: str = field(default="", repr=False)  # an address, which is a secret

    def command(self, *arguments: str) -> list[str]:
        return [str(self.ridgeline), *arguments, *program.option("--results", self.results)]

    def ask(self, kind: Any, *arguments: str) -> Any:
        """What `ridgeline ... --json` says; None where it fails. Raises Odd where it says something
        else."""
        command = self.command(*arguments, "--json")
        try:
            done = program.answer(command, 600)
        except (OSError, program.TooMuch, subprocess.TimeoutExpired) as error:
            self.log.write(f"{' '.join(arguments)}: {error}")
            return None
        for line in done.stderr.splitlines():
            self.log.write(line)
        return understood(arguments, done.stdout, kind) if done.returncode == 0 else None

    def save(self) -> None:
        try:
            self.night.save()
        except OSError as error:
            words = f"{self.night.folder / 'night.json'} cannot be written: {error.strerror}"
            if words not in self.broken:
                self.broken.append(words)
                self.log.say(words)


class Runs(TypedDict):
    runs: list[Run]


def understood(arguments: tuple[str, ...], text: str, kind: Any) -> Any:
    try:
        return document.decode(text, kind)
    except Odd as error:
        words = f"what ridgeline {' '.join(arguments)} --json said cannot be understood"
        raise Odd(f"{words}: {error}") from None


def written(path: Path, kind: Any, *arguments: str) -> Any:
    """What a command of ridgeline left in a file; None where there is none."""
    try:
        text = document.read(path)
    except OSError:
        return None
    return understood(arguments, text, kind)


def runs_of_label(context: Context) -> list[Run]:
    label = context.night.options.get("label", "")
    found = context.ask(Runs, "runs") or {"runs": []}
    return [run for run in found["runs"] if run["label"] == label]


def newest_run(context: Context, since: str, but_not: frozenset[str] = frozenset()) -> Run | dict:
    """The night's run: the newest of its label that began at `since` or later; empty when there is
    none. Times are in seconds, so that a run of the same second has to be named in `but_not`."""
    found = [
        run
        for run in runs_of_label(context)
        if since <= run["started"] <= now() and run["id"] not in but_not
    ]
    return max(found, key=lambda run: run["started"], default={})
