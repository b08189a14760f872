"""Counts and shares of a study's cases."""

from collections.abc import Callable, Iterable

from ci.studies.calibration.journal import MEASURED
from ci.studies.calibration.proportion import interval

FOUND = 0.8  # a slow-down is found when this share of its trials says so


def is_alarm(case: dict) -> bool:
    return case["verdict"] in ("regression", "improvement")


def kind_of(case: dict) -> str:
    """compute, memory, ...: the variant."""
    parts = case["case"].split("/")
    return parts[1] if len(parts) > 1 else case["case"]


def rate(successes: int, trials: int) -> dict:
    """With its 95% limits; without trials there is no rate."""
    if trials == 0:
        return {"count": 0, "of": 0}
    low, high = interval(successes, trials)
    return {"count": successes, "of": trials, "share": successes / trials, "low": low, "high": high}


def share_of(items: Iterable, holds: Callable) -> dict:
    items = list(items)
    return rate(sum(bool(holds(item)) for item in items), len(items))


def measured_of(gates: Iterable[dict]) -> list[dict]:
    return [case for gate in gates for case in gate["cases"] if case["verdict"] in MEASURED]


def smallest_found(found: dict[float, dict], wanted: float = FOUND) -> float | None:
    """The smallest slow-down such that it and all larger ones were found in the wanted share of trials."""
    smallest = None
    for extra in sorted((extra for extra in found if extra > 0), reverse=True):
        if found[extra].get("share", 0.0) < wanted:
            break
        smallest = extra
    return smallest
