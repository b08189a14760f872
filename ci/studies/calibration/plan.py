"""How much a study measures, and what comes next."""

from collections.abc import Iterable
from dataclasses import dataclass

PARTS = ("quiet", "busy", "power", "tails", "one")
SUITE_ALPHA = 0.01  # what a gate starts from
POWER_SUITE = 100  # cases of the suite whose levels the gates with extra work have


@dataclass(frozen=True)
class Cell:
    """One setting; each of its gates is one trial of the whole suite."""

    part: str
    extra: float  # percent of extra work in the candidate
    delta: float  # relative, of the gate
    gates: int  # wanted
    plant: str = ""  # beside the extra work: an option of the worker
    turn: int = 0  # within the part: those of a turn are measured before those of the next

    @property
    def key(self) -> tuple[str, float, float, str]:
        return self.part, self.extra, self.delta, self.plant


@dataclass(frozen=True)
class Profile:
    name: str
    time_s: float
    cases: tuple[str, ...]
    budget_s: float  # of each gate
    shares: dict[str, float]  # of the time, by part
    cells: tuple[Cell, ...]
    device: str = "cpu"
    tail_cases: tuple[str, ...] = ()  # of the part `tails`: a sample is one launch
    tail_budget_s: float | None = None  # of its gates, where it is another
    suspects: int = 1  # of a suite, among which its cases are: they share the alpha of tails

    @property
    def device_kind(self) -> str:
        return self.device.partition(":")[0]

    def settings(self) -> dict:
        """What two studies must share to be one."""
        tails = {"tail_cases": list(self.tail_cases), "suspects": self.suspects}
        return {
            "profile": self.name,
            "cases": list(self.cases),
            "budget_s": self.budget_s,
            "power_suite": POWER_SUITE,
            **({} if self.tail_budget_s is None else {"tail_budget_s": self.tail_budget_s}),
            **(tails if self.tail_cases else {}),
            **({} if self.device_kind == "cpu" else {"device_kind": self.device_kind}),
        }

    def budget(self, cell: Cell) -> float:
        """Of the cell's gates, in seconds."""
        return self.tail_budget_s or self.budget_s if cell.part == "tails" else self.budget_s

    def suite(self, cell: Cell) -> tuple[str, ...]:
        """The cases of its gates."""
        return self.tail_cases if cell.part == "tails" else self.cases

    def alpha(self, cell: Cell) -> float:
        """Of the cell's gates. An A/A gate has that of its own few cases: its alarms are those of a
        whole suite. Power falls with the number of cases, and real suites have many: there, a case
        has its share of POWER_SUITE. A tail is shown at a suspect's share of alpha: each case here
        is one, and has the share that it would have among the suspects of a large suite."""
        count = len(self.suite(cell))
        by_part = {"power": count / POWER_SUITE, "tails": count / self.suspects}
        return SUITE_ALPHA * by_part.get(cell.part, 1)

    def planted_case(self, cell: Cell, seed: int) -> str:
        """The one that has the extra work; empty where all have it."""
        return self.cases[seed % len(self.cases)] if cell.part == "one" else ""


@dataclass(frozen=True)
class Done:
    """One gate that was measured: its cell's key and the time it took."""

    key: tuple[str, float, float, str]
    seconds: float


def next_cell(
    profile: Profile, done: list[Done], time_s: float, parts: Iterable[str] = PARTS
) -> Cell | None:
    """The cell whose turn it is: of the part that is furthest behind its share of the time, among
    those of the earliest turn the one that is furthest behind its number of gates, so that whatever
    ends the study leaves every part with its share, and with what matters most of it. None when all
    gates are measured, or the next one of any part would probably end after `time_s`."""
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
        cell = min(open_cells, key=lambda each: (each.turn, counts[each.key] / each.gates))
        candidates.append((sum(seconds) / profile.shares[part], PARTS.index(part), cell))
    return min(candidates, key=lambda each: each[:2])[2] if candidates else None


TITLES = {
    "quiet": "A/A, nothing else running",
    "busy": "A/A, another core kept busy",
    "power": f"extra work in the candidate, at the levels of a suite of {POWER_SUITE} cases",
    "tails": "slow samples and processes in the candidate",
    "one": "extra work in one case of the candidate",
}


def describe(
    profile: Profile, time_s: float, done: list[Done], parts: Iterable[str] = PARTS
) -> str:
    """The plan in words, before anything is measured."""
    lines = [
        f"profile {profile.name}: at most {duration_text(time_s)} on {profile.device}, suites of "
        f"{len(profile.cases)} cases, at most {profile.budget_s:g} s a gate"
    ]
    for part in parts:
        cells = [cell for cell in profile.cells if cell.part == part]
        wanted = sum(cell.gates for cell in cells)
        measured = sum(each.key[0] == part for each in done)
        what = "; ".join(
            f"delta {100 * delta:g}%: {_settings([cell for cell in cells if cell.delta == delta])}"
            for delta in sorted({cell.delta for cell in cells})
        )
        of_tails = f", suites of {len(profile.tail_cases)} cases" if part == "tails" else ""
        lines.append(
            f"  {part:<6} {TITLES[part]}{of_tails}: at most {wanted} gates, of "
            f"{profile.budget(cells[0]):g} s at most, in "
            f"{duration_text(profile.shares[part] * time_s)} ({what})"
            + (f", {measured} measured before" if measured else "")
        )
    return "\n".join(lines)


def _settings(cells: list[Cell]) -> str:
    """ "+2.5%: 20, +1%: 5", in the order in which they are begun."""
    if all(cell.extra == 0 and not cell.plant for cell in cells):
        return f"{sum(cell.gates for cell in cells)}"
    ordered = sorted(cells, key=lambda cell: cell.turn)
    return ", ".join(f"{setting_text(cell.extra, cell.plant)}: {cell.gates}" for cell in ordered)


def setting_text(extra: float, plant: str) -> str:
    """In words: "+2.5%", "5% of samples x2", "30% of processes +10%", "nothing"."""
    option, _, values = plant.partition(" ")
    share, _, size = values.partition(":")
    by_option = {"--slow-samples": "samples x{:g}", "--slow-processes": "processes {:+g}%"}
    words = [f"{extra:+g}%"] if extra else []
    if option in by_option:
        words.append(f"{100 * float(share):g}% of {by_option[option].format(float(size))}")
    return ", ".join(words) or "nothing"


def duration_text(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 120 else f"{seconds:.0f} s"
