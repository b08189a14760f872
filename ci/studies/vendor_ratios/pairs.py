"""What is set against what."""

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Pair:
    """An own case, and the cases that it is set against, of which the fastest counts. `figure` is
    the ratio of rates that is aimed at."""

    title: str
    own: str
    against: tuple[str, ...]
    figure: float

    @property
    def cases(self) -> tuple[str, ...]:
        return (self.own, *self.against)


def read(file: Path) -> list[Pair]:
    """Raises OSError and ValueError."""
    try:
        entries = tomllib.loads(file.read_text(encoding="utf-8"))["pair"]
        return [
            Pair(each["title"], each["own"], tuple(each["against"]), float(each["figure"]))
            for each in entries
        ]
    except (KeyError, TypeError) as error:
        raise ValueError(f"{file}: a pair has title, own, against and figure") from error
