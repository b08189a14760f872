"""What every command that is disturbed has: a folder to begin with, itself undisturbed for
comparison, and a judgement of what it leaves."""

from __future__ import annotations

import random
import shutil
import time
from pathlib import Path

from ci.studies.faulting import printed, stored
from ci.studies.faulting.outcome import Outcome
from ci.studies.faulting.place import Done, Place, Programs
from ci.studies.faulting.stored import Stored


class Unfit(Exception):
    """The command does not work here even undisturbed; the message says why."""


class Subject:
    """`quick`: with as little work as makes sense, for trials that meet each of its calls."""

    name = ""
    fine: frozenset[int] = frozenset({0})  # what the undisturbed command may end with
    refusals: frozenset[int] = frozenset({69, 70, 74})  # documented, for a disk that is full
    rivals = ("main", "group")  # what is killed

    def __init__(self, folder: Path, programs: Programs, quick: bool = False):
        self.folder, self.programs, self.quick = folder, programs, quick
        self.usual_s = 0.0
        self.before = Stored()
        self.whole = Stored()  # what the undisturbed command has left
        self.code = 0
        folder.mkdir(parents=True)

    @property
    def template(self) -> Path:
        return self.folder / "template"

    # ---- what each command has of its own

    def make_template(self, place: Place) -> None:
        """Fills `place.results` with what is there before; nothing by default."""

    def command(self, place: Place) -> list[str]:
        raise NotImplementedError

    def judge(self, place: Place, now: Stored, done: Done, outcome: Outcome) -> None:
        """What the disturbed command has left; `done.code` is not judged here."""

    def whole_again(self, place: Place, now: Stored) -> list[str]:
        """What an ending with `fine` has to have left and has not."""
        raise NotImplementedError

    def again(self, place: Place, now: Stored) -> list[str]:
        """Starts the next command of the kind, undisturbed; what is wrong with that, in words."""
        done = place.call(self.command(place))
        # Real times decide otherwise each time.
        if done.code not in ({self.code} if self.programs.scripted else self.fine):
            return [f"the next {self.name} ended with {done.code}: {done.last_words()}"]
        return self.whole_again(place, stored.read(place.results))

    def said(self, place: Place, done: Done) -> str:
        """Everything that tells people what went wrong."""
        return done.output + done.errors

    # ---- what all have

    def prepare(self) -> None:
        """Makes the template, and runs the command undisturbed on a copy of it. Raises Unfit."""
        place = self.new_place("made")
        self.make_template(place)
        if place.results.exists():
            shutil.copytree(place.results, self.template, symlinks=True)
        self.before = stored.read(self.template)
        place = self.new_place("undisturbed")
        times = []
        for _ in range(2):  # the first also warms caches
            self.begin(place, None)
            start = time.monotonic()
            done = place.call(self.command(place))
            times.append(time.monotonic() - start)
            if done.code not in self.fine:
                raise Unfit(f"undisturbed, it ends with {done.code}: {done.last_words()}")
        self.usual_s, self.code = times[-1], done.code
        self.whole = stored.read(place.results)
        if wrong := [*self.whole.wrong, *self.whole_again(place, self.whole)]:
            raise Unfit(f"undisturbed, it leaves what is wrong: {wrong[0]}")

    def new_place(self, name: str) -> Place:
        return Place(self.folder / name, self.programs)

    def begin(self, place: Place, chance: random.Random | None) -> None:
        """Puts what is there before into the place; `chance` may leave it out."""
        place.begin_with(self.template)


def unfinished_but_called_finished(
    programs: Programs, now: Stored, whole: Stored, run: str
) -> list[str]:
    """A run that claims its end must have all measurements of an undisturbed one. Those of a real
    worker may run out of their budget."""
    if not programs.scripted or run not in now.runs or now.runs[run].status != "finished":
        return []
    most = max((one.measurements for one in whole.runs.values()), default=0)
    have = now.runs[run].measurements
    return [f"run {run} is finished with {have} of {most} measurements"] if have < most else []


def count_lost(done: Done, now: Stored, outcome: Outcome) -> printed.Reported:
    reported = printed.read(done.output)
    outcome.reported += reported.count
    for words in printed.lost(reported, now):
        outcome.find("lost", f"lost: {words}")
    return reported
