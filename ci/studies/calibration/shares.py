"""Counts and shares of a study's cases, and how far the shares can be trusted."""

import math
from collections.abc import Callable, Iterable

from ci.studies.calibration.journal import MEASURED

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
    """The smallest slow-down such that it and all larger ones were found in the wanted share of
    trials."""
    smallest = None
    for extra in sorted((extra for extra in found if extra > 0), reverse=True):
        if found[extra].get("share", 0.0) < wanted:
            break
        smallest = extra
    return smallest


def of_kind(cases: Iterable[dict], kind: str) -> list[dict]:
    return [case for case in cases if kind_of(case) == kind]


def found_shares(found: dict[float, list[tuple[str, bool]]]) -> dict:
    """From (kind of case, whether it was found) of all trials of each extra work."""
    kinds = sorted({kind for trials in found.values() for kind, _ in trials})
    by_extra = {extra: share_of(trials, lambda trial: trial[1]) for extra, trials in found.items()}
    by_kind = {
        kind: {
            extra: share_of((t for t in ts if t[0] == kind), lambda t: t[1])
            for extra, ts in found.items()
        }
        for kind in kinds
    }
    return {
        "found": {f"{extra:g}": share for extra, share in by_extra.items()},
        "smallest": {
            "all": smallest_found(by_extra),
            **{kind: smallest_found(shares) for kind, shares in by_kind.items()},
        },
    }


def at_least(successes: int, trials: int, probability: float) -> float:
    """Probability of `successes` or more among `trials` independent ones."""
    if successes <= 0 or probability >= 1:
        return 1.0
    if probability <= 0:
        return 0.0
    yes, no = math.log(probability), math.log1p(-probability)
    total = math.lgamma(trials + 1)
    return min(
        1.0,
        math.fsum(
            math.exp(
                total
                - math.lgamma(k + 1)
                - math.lgamma(trials - k + 1)
                + k * yes
                + (trials - k) * no
            )
            for k in range(successes, trials + 1)
        ),
    )


def interval(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Clopper and Pearson's exact limits of a proportion (Biometrika 1934). Raises ValueError
    unless 0 <= successes <= trials and trials >= 1: a rate of nothing is no number."""
    if not (0 <= successes <= trials and trials >= 1):
        raise ValueError(f"{successes} of {trials} is no proportion")
    tail = (1 - confidence) / 2
    low = 0.0 if successes == 0 else _solve(lambda p: at_least(successes, trials, p), tail)
    high = (
        1.0
        if successes == trials
        else _solve(lambda p: at_least(successes + 1, trials, p), 1 - tail)
    )
    return low, high


def _solve(rising, value: float) -> float:
    """Where the function, which rises from 0 to 1 over [0, 1], has the value."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if rising(middle) < value:
            low = middle
        else:
            high = middle
    return (low + high) / 2
