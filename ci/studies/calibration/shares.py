"""Counts and shares of a study's cases, and how far the shares can be trusted."""

from collections.abc import Callable, Iterable

from scipy.stats import binomtest

from ci.studies.calibration.journal import MEASURED

FOUND = 0.8  # a slow-down is found when this share of its trials says so


SLOWER = ("regression", "tail")


def is_alarm(case: dict) -> bool:
    return case["verdict"] in (*SLOWER, "improvement")


def rounds_of(case: dict) -> int:
    """That were measured on both sides. Of the pairs, some count, and a decision may be older."""
    return len(case["baseline"])


def kind_of(case: dict) -> str:
    """compute, memory, ...: the variant."""
    parts = case["case"].split("/")
    return parts[1] if len(parts) > 1 else case["case"]


def rate(successes: int, trials: int) -> dict:
    """With its 95% limits, Clopper and Pearson's; without trials there is no rate."""
    if trials == 0:
        return {"count": 0, "of": 0}
    low, high = binomtest(successes, trials).proportion_ci(method="exact")
    return {"count": successes, "of": trials, "share": successes / trials, "low": low, "high": high}


def share_of(items: Iterable, holds: Callable) -> dict:
    items = list(items)
    return rate(sum(bool(holds(item)) for item in items), len(items))


def cases_of(gates: Iterable[dict]) -> list[dict]:
    return [case for gate in gates for case in gate["cases"]]


def measured(cases: Iterable[dict]) -> list[dict]:
    return [case for case in cases if case["verdict"] in MEASURED]


def measured_of(gates: Iterable[dict]) -> list[dict]:
    return measured(cases_of(gates))


def smallest_found(found: dict[float, dict], wanted: float = FOUND) -> float | None:
    """The smallest slow-down such that it and all larger ones were found in the wanted share of
    trials."""
    smallest = None
    for extra in sorted((extra for extra in found if extra > 0), reverse=True):
        if found[extra].get("share", 0.0) < wanted:
            break
        smallest = extra
    return smallest


def by_kind(cases: list[dict], tell: Callable[[list[dict]], dict]) -> dict[str, dict]:
    """What is to be told of the cases of each kind."""
    kinds = sorted({kind_of(case) for case in cases})
    return {kind: tell([case for case in cases if kind_of(case) == kind]) for kind in kinds}


def found_shares(tried: dict[float, list[dict]], finds: Callable[[dict, float], bool]) -> dict:
    """Of the cases that were tried with each extra work, those in which `finds` says it is."""
    found = {
        extra: [(kind_of(case), finds(case, extra)) for case in cases]
        for extra, cases in tried.items()
    }
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
