"""What a results folder has told, and what is still to be sent: `nightly/messages.json`. Each
change goes to each place once, however often nights are started, interrupted or killed."""

import datetime
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, TypedDict

from . import document
from .document import Odd
from .message import Item
from .news import Mark, New
from .record import set_aside, write_whole
from .webhook import FAILED, SENT, UNKNOWN

FORMAT, VERSION = "ridgeline-messages", 1
NAME = "messages.json"
MOST = 5000  # changes that are remembered
TRIES = 7  # nights on which a message that did not arrive is sent
MOVED = 21  # days: by so much the night of a change may move as more nights are known

SETTLED = "settled"  # of a mark that nothing is recognised by any more
OPEN, SENDING, GIVEN_UP = "open", "sending", "given up"
State = Literal["open", "sending", "sent", "unknown", "given up"]


@dataclass
class Sent:
    state: State = OPEN
    tries: int = 0
    night: str = ""  # which tried last


@dataclass
class Entry:
    item: Item
    places: dict[str, Sent] = field(default_factory=dict)  # by the name of the place
    where: str = ""
    marks: list[Mark] = field(default_factory=list)
    over: bool = False  # which was told, too

    def was_told(self, place: str) -> bool:
        return place in self.places and self.places[place].state in (SENT, UNKNOWN)


class _Head(TypedDict):
    format: Literal[FORMAT]
    version: Literal[VERSION]
    changes: list[Entry]


class _Body(_Head, total=False):
    asked: dict[str, str]  # by device and profile, the last night of which it is known what is new


class Outbox:
    def __init__(self, nights: Path) -> None:
        """Raises OSError. `said`: what became of a file that cannot be understood."""
        self.path = nights / NAME
        self.said = ""
        self.entries: list[Entry] = []
        self.asked: dict[str, str] = {}
        try:
            text = document.read(self.path)
        except FileNotFoundError:
            return
        except Odd as error:
            self.said = set_aside(nights, str(error), NAME)
            return
        try:
            found = document.decode(text, _Body)
            self.entries, self.asked = found["changes"], found.get("asked", {})
        except Odd as error:
            self.said = set_aside(nights, str(error), NAME)

    def add(self, new: list[New], places: Callable[[Item], list[str]]) -> None:
        """What is not known yet is to be sent to these places. A place that is named for the first
        time is not told of what others were told long ago."""
        marks = [(one.where, mark) for one in new for mark in one.marks]
        known = self._known(marks)
        at = 0
        for one in new:
            if not known.issuperset(range(at, at + len(one.marks))):
                to = {place: Sent() for place in places(one.item)}
                self.entries.append(Entry(one.item, to, one.where, one.marks))
            at += len(one.marks)

    def _known(self, marks: list[tuple[str, Mark]]) -> set[int]:
        """Which of them are in the entries. What the store did not remember is recognised by its
        case and kind, the nearest first, each in one at most; the store may remember it by now."""
        exact: set[tuple[str, str]] = set()
        others: dict[tuple[str, str, str], list[Mark]] = {}
        for entry in self.entries:
            for mark in entry.marks:
                if mark.told:
                    exact.add((entry.where, mark.told))
                else:
                    others.setdefault((entry.where, mark.case, mark.kind), []).append(mark)
        known = {at for at, (where, mark) in enumerate(marks) if (where, mark.told) in exact}
        pairs = sorted(
            (apart, at, number)
            for at, (where, mark) in enumerate(marks)
            if at not in known
            for number, other in enumerate(others.get((where, mark.case, mark.kind), []))
            if (apart := days_apart(mark.night, other.night)) <= MOVED
        )
        taken: set[int] = set()
        for _, at, number in pairs:
            where, mark = marks[at]
            other = others[where, mark.case, mark.kind][number]
            if at not in known and id(other) not in taken:
                known.add(at)
                taken.add(id(other))
                other.told = mark.told
        return known

    def settle(self, where: str) -> None:
        """The store remembers again what it tells of these nights: what it does not know by now is
        nothing that it will tell."""
        for entry in self.entries:
            for mark in entry.marks:
                if entry.where == where and not mark.told:
                    mark.told = SETTLED

    def send(self, item: Item, places: list[str]) -> None:
        """To be sent, whatever is known."""
        self.entries.append(Entry(item, {place: Sent() for place in places}, over=True))

    def waiting(self, place: str, night: str) -> list[Entry]:
        """What `night` has not tried to send yet."""
        return [
            entry
            for entry in self.entries
            if self._state(entry, place) == OPEN and entry.places[place].night != night
        ]

    def cut_off(self, place: str) -> list[Entry]:
        """What a message told that was being sent when a night was killed: it may have arrived, and
        is not sent again. Said once."""
        found = [entry for entry in self.entries if self._state(entry, place) == SENDING]
        for entry in found:
            entry.places[place].state = UNKNOWN
        return found

    def begin(self, place: str, entries: list[Entry], night: str) -> None:
        """Is on the disk before anything is sent. Raises OSError."""
        for entry in entries:
            entry.places[place].state = SENDING
            entry.places[place].night = night
        self.save()

    def end(self, place: str, entries: list[Entry], what: str) -> bool:
        """Whether another night tries again. Raises OSError."""
        again = False
        for entry in entries:
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
            "asked": self.asked,
            "changes": [asdict(entry) for entry in self.entries[-MOST:]],
        }
        write_whole(self.path, json.dumps(written, indent=1) + "\n")

    @staticmethod
    def _state(entry: Entry, place: str) -> str:
        return entry.places[place].state if place in entry.places else ""


def days_apart(one: str, other: str) -> int:
    """Between two dates; what is no date is far from all others."""
    try:
        return abs((datetime.date.fromisoformat(one) - datetime.date.fromisoformat(other)).days)
    except ValueError:
        return 0 if one == other else MOVED + 1
