"""Made-up gates for tests."""

import random

from ci.studies.calibration.journal import VERSION
from ci.studies.calibration.plan import Cell, Profile

CASES = ("calibration/compute/f32/threads=1,rounds=20000", "calibration/memory/i32/threads=1,mib=4")
PROFILE = Profile(
    "synthetic-study",
    100.0,
    CASES,
    5,
    {"quiet": 0.5, "busy": 0.1, "power": 0.4},
    (
        Cell("quiet", 0, 0.03, 4),
        Cell("busy", 0, 0.03, 2),
        *(Cell("power", extra, 0.03, 2) for extra in (2, 5, -5)),
    ),
    tail_cases=tuple(f"{case},launch=single" for case in CASES),
)


def case(
    name: str,
    verdict: str,
    ratio: float = 1.0,
    rounds: int = 8,
    noise: float = 0.002,
    seed: int = 0,
) -> dict:
    """Samples of both sides whose medians are about `ratio` apart; the interval is 1% either
    way."""
    chance = random.Random(f"{name} {seed}")

    def processes(center: float) -> list[list[float]]:
        return [
            [center * (1 + noise * chance.uniform(-1, 1) + 0.0001 * i) for i in range(20)]
            for _ in range(rounds)
        ]

    return {
        "case": name,
        "verdict": verdict,
        "ratio": ratio,
        "ratio_low": ratio - 0.01,
        "ratio_high": ratio + 0.01,
        "pairs": rounds,
        "dropped": 0,
        "baseline": processes(1000.0),
        "candidate": processes(1000.0 * ratio),
        "work_ratio": ratio,
    }


def gate(
    part: str, extra: float, verdicts: tuple[str, ...], delta: float = 0.03, seed: int = 0
) -> dict:
    return {
        "kind": "gate",
        "part": part,
        "extra": extra,
        "delta": delta,
        "alpha": PROFILE.alpha(Cell(part, extra, delta, 1)),
        "suite": len(CASES),
        "seed": seed,
        "exit_code": 0,
        "wall_s": 2.0,
        "step_s": 2.5,
        "time": {"prepare_ns": 1e8, "verify_ns": 1e8, "warmup_ns": 2e8, "timed_ns": 14e8},
        "cases": [
            case(n, v, 1 + extra / 100, seed=seed) for n, v in zip(CASES, verdicts, strict=True)
        ],
    }


def tails(plant: str, verdicts: tuple[str, ...], rounds: int = 30, seed: int = 0) -> dict:
    """A gate whose cases have a tail; nothing is planted without a plant."""
    made = gate("tails", 0, verdicts, seed=seed)
    made |= {"plant": plant} if plant else {}
    made["cases"] = [
        {
            **case(f"{name},launch=single", verdict, rounds=rounds, seed=seed),
            **({"slow_executions": 0.051} if "samples" in plant else {}),
            **({"slow_processes": 0.31} if "processes" in plant else {}),
        }
        for name, verdict in zip(CASES, verdicts, strict=True)
    ]
    return made


def one(planted: int, verdicts: tuple[str, ...], seed: int = 0) -> dict:
    """A gate with extra work in the case of that number."""
    made = gate("one", 5, verdicts, seed=seed)
    made["planted_case"] = CASES[planted]
    for number, each in enumerate(made["cases"]):
        each["work_ratio"] = 1.05 if number == planted else 1.0
    return made


def study() -> dict:
    return {
        "kind": "study",
        "version": VERSION,
        "settings": PROFILE.settings(),
        "machine": {"cpu": "Synthetic CPU", "cores": 2},
        "build": {"commit": "0123456789abcdef", "dirty": False, "compiler": "synthetic"},
        "load": 0.1,
        "started": "2026-11-20 12:00 UTC",
    }
