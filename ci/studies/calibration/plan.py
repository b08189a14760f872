"""How much a study measures, and what comes next."""

from collections.abc import Iterable
from dataclasses import dataclass

PARTS = ("quiet", "busy", "power")
SUITE_ALPHA = 0.01  # what a gate starts from
POWER_SUITE = 100  # cases of the suite whose levels the gates with extra work have


@dataclass(frozen=True)
class Cell:
    """One setting; each of its gates is one trial of the whole suite."""

    part: str
    extra: float  # percent of extra work in the candidate
    delta: float  # relative, of the gate
    gates: int  # wanted

    @property
    def key(self) -> tuple[str, float, float]:
        return self.part, self.extra, self.delta


@dataclass(frozen=True)
class Profile:
    name: str
    time_s: float
    cases: tuple[str, ...]
    budget_s: float  # of each gate
    shares: dict[str, float]  # of the time, by part
    cells: tuple[Cell, ...]
    device: str = "cpu"
    power_budget_s: float | None = None  # of each gate with extra work, where it is another

    @property
    def device_kind(self) -> str:
        return self.device.partition(":")[0]

    def settings(self) -> dict:
        """What two studies must share to be one."""
        return {
            "profile": self.name,
            "cases": list(self.cases),
            "budget_s": self.budget_s,
            "power_suite": POWER_SUITE,
            **({} if self.power_budget_s is None else {"power_budget_s": self.power_budget_s}),
            **({} if self.device_kind == "cpu" else {"device_kind": self.device_kind}),
        }

    def budget(self, cell: Cell) -> float:
        """Of the cell's gates, in seconds. What a gate with extra work finds is limited by its
        plan's rounds where the budget affords them all."""
        return self.power_budget_s or self.budget_s if cell.part == "power" else self.budget_s

    def alpha(self, cell: Cell) -> float:
        """Of the cell's gates. An A/A gate has that of its own few cases: its alarms are those of a
        whole suite. Power falls with the number of cases, and real suites have many: there, a case
        has its share of POWER_SUITE."""
        return SUITE_ALPHA * (len(self.cases) / POWER_SUITE if cell.part == "power" else 1)


def _power(extras: Iterable[float], deltas: Iterable[float], gates: int) -> tuple[Cell, ...]:
    return tuple(Cell("power", extra, delta, gates) for delta in deltas for extra in extras)


# By one thread, and by all.
_COMPUTE = tuple(
    f"calibration/compute/f32/threads={threads},rounds=20000" for threads in ("1", "all")
)
_MEMORY = tuple(f"calibration/memory/i32/threads={threads},mib=64" for threads in ("1", "all"))
_GATHER = tuple(f"calibration/gather/i32/threads={threads},mib=4" for threads in ("1", "all"))
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
            65 * 60,
            (*_COMPUTE, _MEMORY[0], _GATHER[0]),
            20,
            # On quiet cores about 6 s an A/A gate, and 10 to 25 s one with extra work.
            {"quiet": 0.54, "busy": 0.04, "power": 0.42},
            (
                Cell("quiet", 0, 0.03, 150),
                Cell("quiet", 0, 0.02, 150),
                Cell("busy", 0, 0.03, 30),
                *_power((1, 2, 3, 5, 10, -3, -5), (0.02,), 10),
                *_power((3, 5, 10), (0.03,), 10),
            ),
            power_budget_s=40,
        ),
        Profile(
            "long",
            6 * 3600,
            (*_COMPUTE, *_MEMORY, *_GATHER),
            90,
            {"quiet": 0.5, "busy": 0.1, "power": 0.4},
            (
                Cell("quiet", 0, 0.03, 500),
                Cell("quiet", 0, 0.02, 200),
                Cell("busy", 0, 0.03, 100),
                *_power((1, 2, 3, 5, 10, -3, -5), (0.02, 0.03), 30),
            ),
        ),
    )
}


_GPU_CASES = (
    "calibration/compute/f32/rounds=10000",
    "calibration/memory/i32/mib=1024",
    "calibration/chase/i32/mib=256",
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


@dataclass(frozen=True)
class Done:
    """One gate that was measured: its cell's key and the time it took."""

    key: tuple[str, float, float]
    seconds: float


def next_cell(
    profile: Profile, done: list[Done], time_s: float, parts: Iterable[str] = PARTS
) -> Cell | None:
    """The cell whose turn it is: of the part that is furthest behind its share of the time, the one
    that is furthest behind its number of gates, so that whatever ends the study leaves every part
    with its share. None when all gates are measured, or the next one of any part would probably end
    after `time_s`."""
    spent = sum(each.seconds for each in done)
    candidates = []
    for part in parts:
        cells = [cell for cell in profile.cells if cell.part == part]
        counts = {cell.key: sum(each.key == cell.key for each in done) for cell in cells}
        open_cells = [cell for cell in cells if counts[cell.key] < cell.gates]
        seconds = [each.seconds for each in done if each.key[0] == part]
        likely_s = sum(seconds) / len(seconds) if seconds else 0.0
        if not open_cells or spent + likely_s > time_s:
            continue
        cell = min(open_cells, key=lambda each: counts[each.key] / each.gates)
        candidates.append((sum(seconds) / profile.shares[part], PARTS.index(part), cell))
    return min(candidates, key=lambda each: each[:2])[2] if candidates else None


def describe(
    profile: Profile, time_s: float, done: list[Done], parts: Iterable[str] = PARTS
) -> str:
    """The plan in words, before anything is measured."""
    lines = [
        f"profile {profile.name}: at most {duration_text(time_s)} on {profile.device}, suites of "
        f"{len(profile.cases)} cases, at most {profile.budget_s:g} s a gate; with extra work, at "
        f"most {profile.power_budget_s or profile.budget_s:g} s and at the levels of a suite of "
        f"{POWER_SUITE} cases"
    ]
    titles = {
        "quiet": "A/A, nothing else running",
        "busy": "A/A, another core kept busy",
        "power": "extra work in the candidate",
    }
    for part in parts:
        cells = [cell for cell in profile.cells if cell.part == part]
        wanted = sum(cell.gates for cell in cells)
        measured = sum(each.key[0] == part for each in done)
        what = "; ".join(
            f"delta {100 * delta:g}%: {_extras([cell for cell in cells if cell.delta == delta])}"
            for delta in sorted({cell.delta for cell in cells})
        )
        lines.append(
            f"  {part:<6} {titles[part]}: {wanted} gates in "
            f"{duration_text(profile.shares[part] * time_s)} ({what})"
            + (f", {measured} measured before" if measured else "")
        )
    return "\n".join(lines)


def _extras(cells: list[Cell]) -> str:
    if all(cell.extra == 0 for cell in cells):
        return f"{sum(cell.gates for cell in cells)}"
    return f"{', '.join(f'{cell.extra:+g}%' for cell in cells)}, {cells[0].gates} each"


def duration_text(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 120 else f"{seconds:.0f} s"
