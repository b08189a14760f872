"""The ladders of a run, put together from what explanations say of one rung after the other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from reports.model import Case, Run


@dataclass(frozen=True)
class Climb:
    """A ladder as a run climbed it: rungs in order, from the simplest, in as many paths as there
    are gaps of rungs without a time, and one more. `reference` is what it is set against."""

    title: str
    paths: tuple[tuple[Case, ...], ...]
    reference: Case | None

    @property
    def rungs(self) -> list[Case]:
        return [rung for path in self.paths for rung in path]

    @property
    def gain(self) -> float:
        """The rate of the last rung over that of the first; 0 where they have none."""
        first, last = self.rungs[0].flop_rate, self.rungs[-1].flop_rate
        return last / first if first and last else 0.0


def of(run: Run) -> list[Climb]:
    """In order of their titles. Of a ladder that goes round, which none does, the rungs before
    that."""
    measured = {case.name: case for case in run.cases if case.measured}
    after: dict[str, dict[str, str]] = {}
    references: dict[str, str] = {}
    for name, case in measured.items():
        for rung in case.explanation.ladders if case.explanation else ():
            after.setdefault(rung.ladder, {})[name] = rung.next
            if rung.reference:
                references[rung.ladder] = rung.reference
    return [
        Climb(title, _paths(nexts, measured), measured.get(references.get(title, "")))
        for title, nexts in sorted(after.items())
        if _paths(nexts, measured)
    ]


def _paths(after: dict[str, str], measured: dict[str, Case]) -> tuple[tuple[Case, ...], ...]:
    """The path that ends with the last rung comes last; of the others, which end at a gap, only
    their rates tell an order."""
    named = set(after.values())
    paths = [_path(name, after) for name in after if name not in named]
    ordered = sorted(
        paths, key=lambda path: (not after[path[-1]], measured[path[-1]].flop_rate or 0)
    )
    return tuple(tuple(measured[name] for name in path) for path in ordered)


def _path(first: str, after: dict[str, str]) -> list[str]:
    path = [first]
    while after.get(path[-1], "") in after and after[path[-1]] not in path:
        path.append(after[path[-1]])
    return path


def by_turns(climbs: Iterable[Climb], most: int) -> tuple[list[Climb], list[Climb]]:
    """At most so many, and the rest: of each suite and type in turn the one that gained most."""
    groups: dict[tuple[str, str], list[Climb]] = {}
    for climb in sorted(climbs, key=lambda climb: -climb.gain):
        last = climb.rungs[-1]  # the first may be of another type
        groups.setdefault((last.suite, last.dtype), []).append(climb)
    turns = [
        (turn, at, climb)
        for at, group in enumerate(groups.values())
        for turn, climb in enumerate(group)
    ]
    ordered = [climb for *_, climb in sorted(turns, key=lambda one: one[:2])]
    return ordered[:most], ordered[most:]


def labels(climb: Climb) -> dict[str, str]:
    """Of each rung, by the name of its case: its variant, and where several have that, the fields
    in which they differ."""
    said = {}
    for rung in climb.rungs:
        fields = [_fields(one) for one in climb.rungs if one.variant == rung.variant]
        differ = [
            f"{key}={value}"
            for key, value in _fields(rung).items()
            if any(other.get(key) != value for other in fields)
        ]
        said[rung.name] = " ".join([rung.variant, *differ])
    return said


def _fields(case: Case) -> dict[str, str]:
    return {"type": case.dtype, **case.problem, **case.options}
