"""What every step of a night is given."""

import json
from dataclasses import dataclass, field
from pathlib import Path

from . import program
from .log import Log
from .program import Interrupted
from .record import Night, now


@dataclass
class Context:
    ridgeline: Path
    results: str  # as on the command line, so that what is shown can be typed
    night: Night
    log: Log
    interrupted: Interrupted
    limit_s: float
    broken: list[str] = field(default_factory=list)  # records that could not be written

    def command(self, *arguments: str) -> list[str]:
        return [str(self.ridgeline), *arguments, "--results", self.results]

    def ask(self, *arguments: str) -> dict:
        """What `ridgeline ... --json` says; empty where it fails or prints no object."""
        answer = self.night.folder / ".answer.json"
        try:
            ended = program.run(
                self.command(*arguments, "--json"), self.log.write, Interrupted(), 600, answer
            )
            return read_object(answer) if ended.status == 0 else {}
        except OSError:
            return {}
        finally:
            answer.unlink(missing_ok=True)

    def save(self) -> None:
        try:
            self.night.save()
        except OSError as error:
            words = f"{self.night.folder / 'night.json'} cannot be written: {error.strerror}"
            if words not in self.broken:
                self.broken.append(words)
                self.log.say(words)


def read_object(path: Path) -> dict:
    """A JSON object of a file; empty where there is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8", errors="replace"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def runs_of_label(context: Context) -> list[dict]:
    label = context.night.options.get("label", "")
    return [run for run in context.ask("runs").get("runs", []) if run.get("label") == label]


def newest_run(context: Context, since: str, but_not: frozenset[str] = frozenset()) -> dict:
    """The night's run: the newest of its label that began at `since` or later; empty when there is
    none. Times are in seconds, so that a run of the same second has to be named in `but_not`."""
    found = [
        run
        for run in runs_of_label(context)
        if since <= run.get("started", "") <= now() and run.get("id") not in but_not
    ]
    return max(found, key=lambda run: run["started"], default={})
