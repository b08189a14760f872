"""What must hold of a place once a command there was disturbed, whichever and however."""

from __future__ import annotations

from ci.studies.faulting import processes, readers, stored
from ci.studies.faulting.outcome import Outcome
from ci.studies.faulting.place import Done, Place
from ci.studies.faulting.stored import Stored
from ci.studies.faulting.subjects.subject import Subject

GONE_WITHIN_S = 10.0  # what a command has started


def judge(subject: Subject, place: Place, now: Stored, done: Done, outcome: Outcome) -> None:
    """All but the exit code. `now`: what was stored when the command had ended."""
    for name in ("output", "errors"):  # those who look at a finding want them
        (place.folder / name).rename(place.folder / f"disturbed-{name}")
    outcome.find_all("wrong", now.wrong)
    subject.judge(place, now, done, outcome)
    outcome.find_all("wrong", readers.wrong(place, now))
    if stored.read(place.results) != now:
        outcome.find("wrong", "reading has changed what is stored")
    outcome.find_all("wrong", subject.again(place, now))
    outcome.find_all("wrong", readers.wrong(place, stored.read(place.results)))
    if left := processes.left_after(place.mark, 1.0):
        outcome.find("orphans", f"the next command left {left[0].name} alive", len(left))
    kept = place.leftovers()
    outcome.leftovers = len(kept)
    outcome.notes += kept
