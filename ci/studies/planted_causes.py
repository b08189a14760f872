"""Invented nights with one change whose cause is known, and what `ridgeline trend` calls it.

Commits come on most nights and change the code on most of these; readings, and facts that switch
without effect, change all the time; a driver, a compiler and the cases of the profile change once
long before. On one night something more changes, and eight cases take another level with it.
"""

import collections
import datetime
import json
import math
import random
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ci.studies import nights_file
from ci.studies.calibration.shares import rate

MODEL = "synthetic-causes"
FIRST_NIGHT = datetime.date(2026, 1, 1)
NIGHTS, CASES = 150, 8
KNOWN = 90  # nights after which it is known whether a case moves by itself
NEAR = 3  # nights that a change may be told beside the planted one
GOAL = 0.95  # share of the changes whose cause is to be right
CAUSES = ("code", "method", "machine", "toolkit", "noise", "unexplained")


@dataclass
class Night:
    """What a run of invented nights says of itself."""

    comparable: dict[str, str]
    recorded: dict[str, str]
    settings: dict[str, str]  # of the profile
    patterns: list[str]  # that the profile chooses cases by
    build: dict[str, str]
    measured: dict[str, object] = field(default_factory=dict)

    @property
    def profile_text(self) -> str:
        lines = [f"{key} = {value}" for key, value in self.settings.items()]
        return "\n".join(["[sampling]", *lines, "[cuda]", f"cases = {self.patterns}"])


@dataclass(frozen=True)
class Planted:
    """A kind of change: how it is called, the causes that are right for it, and what it does to a
    night from the planted one on. `code`: whether the code changes on that night; absent where it
    does as on any other. `level`: logs of a case's times, where they are no single step. `moves`:
    the case moves by itself, and nothing is planted. `cases`: how many there are; the first
    `moving` of them take the change. `machines`: of a pool, each of which stays 2 to 9 nights;
    every move from one to another is a change, and nothing else is planted."""

    name: str
    right: tuple[str, ...]
    alter: Callable[[Night, int], None] = lambda night, since: None
    code: bool | None = None
    level: Callable[[random.Random, int], list[float]] | None = None
    moves: bool = False
    cases: int = CASES
    moving: int = CASES
    machines: int = 0


def _recorded(key: str, value: str) -> Callable[[Night, int], None]:
    return lambda night, since: night.recorded.update({key: value})


def _setting(key: str, value: str) -> Callable[[Night, int], None]:
    return lambda night, since: night.settings.update({key: value})


def _built(key: str, value: str) -> Callable[[Night, int], None]:
    return lambda night, since: night.build.update({key: value})


def _measured(key: str, value: object) -> Callable[[Night, int], None]:
    return lambda night, since: night.measured.update({key: value})


def _cpus(night: Night, since: int) -> None:
    """From the planted night on 4 in place of 2, and later now 4 and now 8."""
    night.recorded["cpus"] = "8" if since > 12 and since % 2 else "4"


def _two_levels(draw: random.Random, at: int) -> list[float]:
    """Of a case that goes to and fro between two levels."""
    size, place, levels = draw.uniform(0.04, 0.10), 0, []
    for _ in range(NIGHTS):
        if draw.random() < 1 / 11:
            place = 1 - place
        levels.append(size * place)
    return levels


def _again(draw: random.Random, at: int) -> list[float]:
    """Of a case that the code made slower twice, and that was mended in between."""
    size = draw.uniform(0.04, 0.30)
    slower = {*range(at - 45, at - 25), *range(at, NIGHTS)}
    return [size if number in slower else 0.0 for number in range(NIGHTS)]


def _wander(draw: random.Random, at: int) -> list[float]:
    """Of a case that moves now and then, to anywhere near its usual time."""
    level, levels = 0.0, []
    for _ in range(NIGHTS):
        if draw.random() < 1 / 9:
            level = draw.gauss(0, 0.05)
        levels.append(level)
    return levels


KINDS = (
    Planted("the code", ("code",), code=True),
    Planted(
        "the code, and which cases are chosen",
        ("code",),
        lambda night, since: night.patterns.append("copy"),
        code=True,
    ),
    Planted("the code, as once before", ("code",), code=True, level=_again),
    Planted(
        "the code of 2 cases of 24, and the kernel of the system",
        ("code",),
        _recorded("kernel", "Linux 6.12"),
        code=True,
        cases=24,
        moving=2,
    ),
    Planted("precision that the profile asks for", ("method",), _setting("target", "0.05")),
    Planted("warm-up of the profile", ("method",), _setting("warmup", '"5ms"'), code=True),
    Planted("cache hot in place of cold", ("method",), _measured("cache", "hot")),
    Planted("inputs twice as large", ("method",), _measured("bytes", 2048.0), code=True),
    Planted("driver", ("machine",), _recorded("driver", "590.1"), code=True),
    Planted("kernel of the system", ("machine",), _recorded("kernel", "Linux 6.12")),
    Planted("number of CPUs", ("machine",), _cpus),
    Planted("machine of a pool of 3", ("machine",), machines=3, moves=True),
    Planted("machine of a pool of 6", ("machine",), machines=6, moves=True),
    Planted("compiler", ("toolkit",), _built("compiler", "g++ 14.2"), code=True),
    Planted("CUDA", ("toolkit",), _built("cuda", "13.1 sm_90a"), code=True),
    Planted("library", ("toolkit",), _recorded("cudnn", "9.19"), code=False),
    Planted("nothing: two levels", ("noise", "unexplained"), level=_two_levels, moves=True),
    Planted("nothing: it moves now and then", ("noise", "unexplained"), level=_wander, moves=True),
    Planted("nothing that is recorded, the same code", ("unexplained",), code=False),
)


def _nights(kind: Planted, at: int, draw: random.Random) -> Iterator[Night]:
    commit = code = 0
    for number in range(NIGHTS):
        is_planted, beside = number == at, abs(number - at) <= 6
        if draw.random() < 0.8 or is_planted:
            commit += 1
            changes = draw.random() < 0.7
            if kind.code is not None and beside:
                changes = kind.code and (is_planted or changes)
            code += changes
        night = Night(
            comparable={"memory_gib": "16", "power_limit_w": "300"},
            recorded={
                "host": draw.choice(("one", "two", "three")),
                "driver": "580.2" if number >= 40 else "580.1",
                "kernel": "Linux 6.1",
                "cpus": "2",
                "cudnn": "9.1",
                "boost": draw.choice("01"),
                "chassis_fan_rpm": str(draw.randrange(900, 1400)),
                "load_average": f"{draw.random():.2f} 0.10 0.05 1/200 {number}",
            },
            settings={"target": "0.01", "warmup": '"100ms"'},
            patterns=["gemm"] if number < 50 else ["gemm", "attention"],
            build={
                "commit_hash": f"{commit:040x}",
                "code_hash": f"{code:016x}",
                "compiler": "g++ 13.2" if number >= 30 else "g++ 12.2",
                "cuda": "13.0 sm_90a",
            },
            measured={"bytes": 1024.0},
        )
        if number >= at:
            kind.alter(night, number - at)
        yield night


def _levels(kind: Planted, at: int, draw: random.Random) -> list[float]:
    if kind.level:
        return kind.level(draw, at)
    size = draw.choice((-0.25, -0.08, -0.04, 0.03, 0.05, 0.12, 0.4, 0.7))
    return [size if number >= at else 0.0 for number in range(NIGHTS)]


def _pool(machines: int, draw: random.Random) -> list[int]:
    """The machine of each night: one stays 2 to 9 nights, then another one comes."""
    nights: list[int] = []
    while len(nights) < NIGHTS:
        others = [one for one in range(machines) if not nights or one != nights[-1]]
        nights += [draw.choice(others)] * draw.randint(2, 9)
    return nights[:NIGHTS]


def write(path: Path, kind: Planted, seed: int) -> datetime.date:
    """A results file with one change of that kind; its night."""
    draw = random.Random(f"{kind.name} {seed}")
    at = draw.randrange(100, 132)
    database = nights_file.create(path)
    cases = [nights_file.add_case(database, number) for number in range(kind.cases)]
    levels = [_levels(kind, at, draw) for _ in cases[: kind.moving]]
    levels += [[0.0] * NIGHTS for _ in cases[kind.moving :]]
    hosts = _pool(kind.machines, draw) if kind.machines else []
    if hosts:
        own = [[draw.gauss(0, 0.1) for _ in range(kind.machines)] for _ in cases]
        levels = [[one[host] for host in hosts] for one in own]
    noises = [draw.uniform(0.002, 0.004) for _ in cases]
    for number, night in enumerate(_nights(kind, at, draw)):
        if hosts:
            night.recorded["host"] = f"host{hosts[number]}"
        started = f"{FIRST_NIGHT + datetime.timedelta(days=number)}T02:00:00Z"
        run = nights_file.add_run(
            database,
            MODEL,
            started,
            night.comparable,
            night.recorded,
            number=number,
            profile_text=night.profile_text,
            **night.build,
        )
        process = nights_file.add(database, "process", replicate=0, **run)
        times = [
            (case, 1000.0 * (place + 1) * math.exp(levels[place][number] + draw.gauss(0, noise)))
            for place, (case, noise) in enumerate(zip(cases, noises, strict=True))
            if draw.random() > 0.03
        ]
        nights_file.add_times(database, process, times, **night.measured)
    database.commit()
    database.close()
    return FIRST_NIGHT + datetime.timedelta(days=at)


def told(ridgeline: Path, folder: Path, kind: Planted, seed: int) -> list[str]:
    """The causes of the changes that `ridgeline trend` tells: those near the planted night, or all
    from night KNOWN on where the case moves by itself. Raises subprocess.CalledProcessError when it
    fails."""
    planted = write(folder / f"{MODEL}.sqlite", kind, seed)
    command = [ridgeline, "trend", "--json", "--results", folder]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    causes = []
    for device in json.loads(done.stdout)["devices"]:
        for one in device["findings"]:
            if "before" not in one:
                continue
            night = datetime.date.fromisoformat(one["night"])
            if kind.moves:
                near = (night - FIRST_NIGHT).days >= KNOWN
            else:
                near = abs((night - planted).days) <= NEAR
            if near:
                causes.append(one["why"]["cause"])
    return causes


@dataclass(frozen=True)
class Row:
    kind: Planted
    causes: collections.Counter[str]

    @property
    def count(self) -> int:
        return self.causes.total()

    @property
    def right(self) -> int:
        return sum(self.causes[cause] for cause in self.kind.right)


def rows(ridgeline: Path, folder: Path, stores: int) -> Iterator[Row]:
    for kind in KINDS:
        causes: collections.Counter[str] = collections.Counter()
        for seed in range(stores):
            causes.update(told(ridgeline, folder, kind, seed))
        yield Row(kind, causes)


def judged(right: int, count: int) -> tuple[str, str]:
    """The share that is right with its 95% limits in percent, and whether it is the goal's."""
    found = rate(right, count)
    if count == 0:
        return "", ""
    share, low, high = (100 * found[key] for key in ("share", "low", "high"))
    reached = "yes" if low >= 100 * GOAL else "no" if high < 100 * GOAL else "open"
    return f"{share:.1f}% [{low:.1f}, {high:.1f}]", reached


def table(rows: list[Row]) -> str:
    """In Markdown."""
    lines = [
        f"| what changed | cause | changes told | {' | '.join(CAUSES)} | right"
        f" | at least {GOAL:.0%} |",
        "|---" * (len(CAUSES) + 5) + "|",
    ]
    for row in rows:
        counts = [str(row.causes[cause] or "") for cause in CAUSES]
        head = [row.kind.name, " or ".join(f"`{cause}`" for cause in row.kind.right)]
        lines.append(
            "| "
            + " | ".join([*head, str(row.count), *counts, *judged(row.right, row.count)])
            + " |"
        )
    right, count = sum(row.right for row in rows), sum(row.count for row in rows)
    last = ["all", "", str(count), *[""] * len(CAUSES), *judged(right, count)]
    lines.append("| " + " | ".join(last) + " |")
    return "\n".join(lines) + "\n"
