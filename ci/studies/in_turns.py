"""What studies share that set Ridgeline beside other programs, in rounds in which the sides take
turns in who begins."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

from ci.night import program
from ci.studies.vendor_ratios.ratios import Measured, Ratio

LIMIT_S = 300  # for one side of a round
ROUNDS = range(1, 21)

Times = dict[object, list[Measured]]  # by case


class Missing(Exception):
    """A side cannot be measured; the message says which and why."""


def answer(command: list[str], allowed: tuple[int, ...] = (0,), limit_s: float = LIMIT_S) -> str:
    """What a program prints. Raises Missing when it is not there, ends otherwise, or not at all."""
    try:
        done = program.answer(command, limit_s, patience_s=program.TO_END_S)
    except OSError as error:
        raise Missing(f"{command[0]}: {error.strerror}") from error
    except (subprocess.TimeoutExpired, program.TooMuch) as error:
        raise Missing(str(error)) from error
    if done.returncode not in allowed:
        lines = done.stderr.splitlines()
        # Some end with the frame around what they said.
        said = next((line for line in reversed(lines) if any(map(str.isalpha, line))), "nothing")
        raise Missing(f"{command[0]} ended with {done.returncode}: {said.strip()}")
    return done.stdout


def measured(
    ridgeline: str, words: list[str], results: Path, limit_s: float = LIMIT_S
) -> list[dict]:
    """Of a run of one process: its cases that have a time, as `ridgeline export jsonl` has them."""
    where = ["--results", str(results)]
    failed = (0, 2)  # what a case without a time comes to is told by its absence
    answer([ridgeline, "run", *words, "--processes", "1", *where], failed, limit_s)
    exported = answer([ridgeline, "export", "jsonl", "latest", *where])
    return [line for line in map(json.loads, exported.splitlines()) if line.get("median_ns")]


def in_turns(sides: list[Callable[[], dict]], rounds: int) -> list[Times]:
    """Each side gives the ns of its cases, anew in each round; the times of each side."""
    times: list[Times] = [{} for _ in sides]
    for of_round in range(rounds):
        turns = list(zip(times, sides, strict=True))
        for measured, side in turns if of_round % 2 == 0 else reversed(turns):
            for case, ns in side().items():
                measured.setdefault(case, []).append(Measured(of_round, 0, 0, 1, ns, {}))
    return times


def shown(ratio: Ratio | None) -> str:
    if ratio is None:
        return "not measured"
    if ratio.low is None or ratio.high is None:
        return f"{ratio.value:.3f}"
    return f"{ratio.value:.3f} ({ratio.low:.3f} to {ratio.high:.3f})"
