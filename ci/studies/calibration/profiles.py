"""How much the studies measure: their profiles by name, for each kind of device."""

from collections.abc import Iterable

from ci.studies.calibration.plan import Cell, Profile


def _power(
    extras: Iterable[float], deltas: Iterable[float], gates: int, turn: int = 0
) -> tuple[Cell, ...]:
    return tuple(
        Cell("power", extra, delta, gates, turn=turn) for delta in deltas for extra in extras
    )


def _tails(delta: float, gates: int) -> tuple[Cell, ...]:
    """What is planted in the candidate, the hardest to find first, and nothing."""
    plants = (
        *("--slow-samples 0.05:2", "--slow-processes 0.3:10", "--slow-samples 0.1:2"),
        *("--slow-samples 0.05:10", "--slow-samples 0.1:10", ""),
    )
    return tuple(Cell("tails", 0, delta, gates, plant) for plant in plants)


# By one thread, and by all.
_COMPUTE = tuple(
    f"calibration/compute/f32/threads={threads},rounds=20000" for threads in ("1", "all")
)
_MEMORY = tuple(f"calibration/memory/i32/threads={threads},mib=64" for threads in ("1", "all"))
_GATHER = tuple(f"calibration/gather/i32/threads={threads},mib=4" for threads in ("1", "all"))
_SINGLE = (
    *(f"calibration/compute/f32/threads={n},rounds=2000000,launch=single" for n in ("1", "all")),
    *(f"calibration/{kernel}/i32/threads=1,mib=4,launch=single" for kernel in ("memory", "gather")),
)
PROFILES = {
    profile.name: profile
    for profile in (
        Profile(
            "smoke",
            60,
            (_COMPUTE[0], "calibration/memory/i32/threads=1,mib=4"),
            8,
            {"quiet": 0.4, "busy": 0.2, "power": 0.4},
            (Cell("quiet", 0, 0.03, 2), Cell("busy", 0, 0.03, 1), *_power((10, -5), (0.03,), 1)),
        ),
        Profile(
            "full",
            60 * 60,
            (*_COMPUTE, _MEMORY[0], _GATHER[0]),
            40,
            {"quiet": 0.25, "busy": 0.03, "power": 0.45, "tails": 0.27},
            (
                Cell("quiet", 0, 0.02, 150),
                Cell("quiet", 0, 0.03, 50, turn=1),
                Cell("busy", 0, 0.03, 10),
                *_power((2.5,), (0.02,), 15),
                *_power((2.25, 2.75, 3), (0.02,), 10),
                *_power((1, 2, 5, -3), (0.02,), 5, turn=1),
                *_power((10, -5), (0.02,), 5, turn=2),
                *_power((3, 5), (0.03,), 5, turn=2),
                *_tails(0.02, 5),
            ),
            tail_cases=_SINGLE,
            tail_budget_s=60,  # about enough for 60 rounds
            suspects=25,
        ),
        Profile(
            "long",
            6 * 3600,
            (*_COMPUTE, *_MEMORY, *_GATHER),
            90,
            {"quiet": 0.4, "busy": 0.1, "power": 0.35, "tails": 0.15},
            (
                Cell("quiet", 0, 0.03, 500),
                Cell("quiet", 0, 0.02, 200),
                Cell("busy", 0, 0.03, 100),
                *_power((1, 2, 2.25, 2.5, 2.75, 3, 5, 10, -3, -5), (0.02, 0.03), 30),
                *_tails(0.02, 20),
            ),
            tail_cases=_SINGLE,
            tail_budget_s=60,
            suspects=25,
        ),
    )
}


_GPU_CASES = (
    "calibration/compute/f32/rounds=10000",
    "calibration/memory/i32/mib=1024",
    "calibration/chase/i32/mib=256",
)
_TEN = (
    *(f"calibration/compute/f32/rounds={rounds}" for rounds in (10000, 15000, 20000, 30000)),
    *(f"calibration/memory/i32/mib={mib}" for mib in (256, 512)),
    *(f"calibration/chase/i32/mib={mib}" for mib in (128, 256, 512, 1024)),
)
# Nothing of a GPU's is kept busy: a process that computes beside the gate's makes its rounds
# invalid.
GPU_PROFILES = {
    profile.name: profile
    for profile in (
        Profile(
            "smoke",
            60,
            _GPU_CASES[:2],
            15,
            {"quiet": 0.5, "power": 0.5},
            (Cell("quiet", 0, 0.005, 2), *_power((2, -2), (0.005,), 1)),
            "cuda",
        ),
        Profile(
            "short",
            8 * 60,
            _GPU_CASES,
            40,
            {"quiet": 0.4, "power": 0.6},
            (Cell("quiet", 0, 0.005, 40), *_power((0.5, 1, 2, -1), (0.005,), 6)),
            "cuda",
        ),
        Profile(
            "ten",
            12 * 60,
            _TEN,
            30,
            {"one": 0.92, "quiet": 0.08},
            (Cell("one", 0.5, 0.003, 20), Cell("quiet", 0, 0.003, 3)),
            "cuda",
        ),
        Profile(
            "tails",
            14 * 60,
            _TEN,
            150,
            {"tails": 1},
            _tails(0.005, 2),
            "cuda",
            tail_cases=tuple(f"{case},launch=single" for case in _TEN),
        ),
        Profile(
            "full",
            20 * 60,
            _GPU_CASES,
            40,
            {"quiet": 0.4, "power": 0.6},
            (
                Cell("quiet", 0, 0.005, 60),
                Cell("quiet", 0, 0.01, 40),
                *_power((0.3, 0.5, 1, 2, -1, -2), (0.005,), 6),
                *_power((1, 2, -2), (0.01,), 6),
            ),
            "cuda",
        ),
        Profile(
            "long",
            2 * 3600,
            # Times of launches differ by percents from process to process: most gates go to the end
            # of their plan.
            (*_GPU_CASES, "calibration/copy/i32/kib=64,launches=1000"),
            60,
            {"quiet": 0.5, "power": 0.5},
            (
                Cell("quiet", 0, 0.005, 150),
                Cell("quiet", 0, 0.01, 150),
                *_power((0.3, 0.5, 1, 2, -1, -2), (0.005, 0.01), 20),
            ),
            "cuda",
        ),
    )
}


def profiles_of(device_kind: str) -> dict[str, Profile]:
    return GPU_PROFILES if device_kind == "cuda" else PROFILES
