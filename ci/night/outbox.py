"""What a results folder has told, and what is still to be sent: `nightly/messages.json`. Each
change goes to each place once, however often nights are started, interrupted or killed."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, TypedDict

from . import document
from .document import Odd
from .message import Item
from .record import set_aside, write_whole
from .webhook import FAILED, SENT, UNKNOWN

FORMAT, VERSION = "ridgeline-messages", 1
NAME = "messages.json"
MOST = 5000  # changes that are remembered
TRIES = 7  # nights on which a message that did not arrive is sent

OPEN, SENDING, GIVEN_UP = "open", "sending", "given up"
State = Literal["open", "sending", "sent", "unknown", "given up"]


@dataclass
class Sent:
    state: State = OPEN
    tries: int = 0


@dataclass
class Entry:
    item: Item
    places: dict[str, Sent] = field(default_factory=dict)  # by the name of the place


class _Head(TypedDict):
    format: Literal[FORMAT]
    version: Literal[VERSION]
    changes: list[Entry]


class Outbox:
    def __init__(self, nights: Path) -> None:
        """Raises OSError. `said`: what became of a file that cannot be understood."""
        self.path = nights / NAME
        self.said = ""
        self.entries: list[Entry] = []
        try:
            text = document.read(self.path)
        except FileNotFoundError:
            return
        except Odd as error:
            self.said = set_aside(nights, str(error), NAME)
            return
        try:
            self.entries = document.decode(text, _Head)["changes"]
        except Odd as error:
            self.said = set_aside(nights, str(error), NAME)

    def add(self, items: list[Item], places: list[str]) -> None:
        """What is not known yet is to be sent to these places. A place that is named for the first
        time is not told of what others were told long ago."""
        known = {entry.item.key for entry in self.entries}
        self.entries += [
            Entry(item, {place: Sent() for place in places})
            for item in items
            if item.key not in known
        ]

    def waiting(self, place: str) -> list[Item]:
        return [entry.item for entry in self.entries if self._state(entry, place) == OPEN]

    def cut_off(self, place: str) -> int:
        """Changes whose message was being sent when a night was killed: it may have arrived, and is
        not sent again. Said once."""
        found = [entry for entry in self.entries if self._state(entry, place) == SENDING]
        for entry in found:
            entry.places[place].state = UNKNOWN
        return len(found)

    def begin(self, place: str, items: list[Item]) -> None:
        """Is on the disk before anything is sent. Raises OSError."""
        self._set(place, items, SENDING)
        self.save()

    def end(self, place: str, items: list[Item], what: str) -> bool:
        """Whether another night tries again. Raises OSError."""
        again = False
        for entry in self._of(items):
            sent = entry.places[place]
            sent.tries += 1
            if what in (SENT, UNKNOWN):
                sent.state = what
            elif what == FAILED:
                sent.state = OPEN if sent.tries < TRIES else GIVEN_UP
                again = again or sent.state == OPEN
        self.save()
        return again

    def save(self) -> None:
        written = {
            "format": FORMAT,
            "version": VERSION,
            "changes": [asdict(entry) for entry in self.entries[-MOST:]],
        }
        write_whole(self.path, json.dumps(written, indent=1) + "\n")

    def _of(self, items: list[Item]) -> list[Entry]:
        keys = {item.key for item in items}
        return [entry for entry in self.entries if entry.item.key in keys]

    def _set(self, place: str, items: list[Item], state: State) -> None:
        for entry in self._of(items):
            entry.places[place].state = state

    @staticmethod
    def _state(entry: Entry, place: str) -> str:
        return entry.places[place].state if place in entry.places else ""
