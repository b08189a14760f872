"""Every command that only reads, on a folder of results that nobody has open."""

from __future__ import annotations

import json

from ci.studies.faulting.place import Done, Place
from ci.studies.faulting.stored import Stored

NOTHING_STORED = {0, 3, 64, 74}  # exit codes where there is no run, each with a reason


def wrong(place: Place, stored: Stored) -> list[str]:
    """What a command says or ends with that it must not, in words."""
    if not place.results.exists():
        return []
    found = _commands_that_fail(place, stored)
    return found + _wrong_statuses(place, stored) if stored.runs else found


def _commands_that_fail(place: Place, stored: Stored) -> list[str]:
    allowed: dict[tuple[str, ...], set[int]] = {
        ("runs",): {0},
        ("trend",): {0, 3},
        ("baseline", "list"): {0},
        ("prune", "--older-than", "1d"): {0},
    }
    for run in sorted(stored.runs)[-2:]:
        allowed["show", run] = {0}
        allowed["export", "jsonl", run] = {0}
    for gate in sorted(stored.gates)[-1:]:
        allowed["show", gate] = {0}
    found = []
    for command, codes in allowed.items():
        done = place.ask(*command)
        if done.code not in (codes if stored.runs else codes | NOTHING_STORED):
            found.append(_ended(command, done))
        elif done.code and not done.errors.strip() + done.output.strip():
            found.append(f"{' '.join(command)} ended with {done.code} and said nothing")
        elif "left out" in done.errors:
            found.append(f"{' '.join(command)}: {done.last_words()}")
    return found


def _ended(command: tuple[str, ...], done: Done) -> str:
    return f"{' '.join(command)} ended with {done.code}: {done.last_words()}"


def _wrong_statuses(place: Place, stored: Stored) -> list[str]:
    """What is listed as running although nobody measures, or as finished although it is not."""
    done = place.ask("runs", "--json")
    try:
        listed = json.loads(done.output)
    except ValueError:
        return [f"runs --json is no JSON: {done.output[:80]!r} {done.last_words()}"]
    found = []
    for kind, known in (("runs", stored.runs), ("gates", stored.gates)):
        told = {one["id"]: one["status"] for one in listed[kind]}
        for identity, one in known.items():
            if kind == "runs" and identity.endswith(("-baseline", "-candidate")):
                continue  # the sides of a gate, which is listed itself
            status = told.get(identity, "not listed")
            # "running or killed" where the lock already names who measured since, in one second.
            ended = ("killed", "running or killed")
            fits = status in (ended if one.status == "running" else (one.status,))
            if not fits:
                found.append(f"{identity} is {one.status} and called {status}")
    return found
