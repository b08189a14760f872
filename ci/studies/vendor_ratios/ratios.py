"""Ratios of rates from the processes of runs, as `ridgeline export jsonl` writes them."""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# Student's t by degrees of freedom from 1, two-sided 95%.
T_95 = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
)
MOST_PROCESSES = len(T_95) + 1


@dataclass(frozen=True)
class Measured:
    """One case in one process; `place` is its place among those that the process measured. Rates
    are per second, of operations or, without any, of bytes."""

    process: int
    place: int
    flops: float
    bytes: float
    median_ns: float
    metrics: dict[str, float]

    @property
    def sustained_ns(self) -> float | None:
        return self.metrics.get("sustained_time")


@dataclass(frozen=True)
class Ratio:
    """Of rates, with its 95% interval; None below 3 processes."""

    value: float
    low: float | None
    high: float | None


def cases_of(lines: Iterable[dict]) -> dict[str, list[Measured]]:
    """By case, of the processes that measured it undisturbed, in their order. Lines come in the
    order in which they were measured."""
    cases: dict[str, list[Measured]] = {}
    places: dict[int, int] = {}
    for line in lines:
        process = line["process"]
        places[process] = places.get(process, 0) + 1
        found = cases.setdefault(line["case"], [])
        if line["outcome"] not in ("ok", "unstable"):
            continue
        metrics = {metric["name"]: metric["value"] for metric in line["metrics"]}
        found.append(
            Measured(
                process,
                places[process],
                line.get("flops") or 0.0,
                line.get("bytes") or 0.0,
                line["median_ns"],
                metrics,
            )
        )
    return cases


def work(own: Measured, other: Measured) -> float:
    """Of the first over that of the second: operations, or bytes where one has none."""
    if own.flops > 0 and other.flops > 0:
        return own.flops / other.flops
    return own.bytes / other.bytes


def _ratio(logarithms: Sequence[float], variance: float, freedom: int) -> Ratio:
    middle = statistics.fmean(logarithms)
    if freedom < 2:
        return Ratio(math.exp(middle), None, None)
    half = T_95[min(freedom, len(T_95)) - 1] * math.sqrt(variance)
    return Ratio(math.exp(middle), math.exp(middle - half), math.exp(middle + half))


def paired(own: list[Measured], other: list[Measured], time: str = "median_ns") -> Ratio | None:
    """Of processes that measured both: the geometric mean of their ratios, with Student's t of the
    logarithms."""
    by_process = {one.process: one for one in other}
    logarithms = [
        math.log(getattr(by_process[one.process], time) / getattr(one, time))
        + math.log(work(one, by_process[one.process]))
        for one in own
        if one.process in by_process
        and getattr(one, time)
        and getattr(by_process[one.process], time)
    ]
    return of_logarithms(logarithms)


def of_logarithms(logarithms: Sequence[float]) -> Ratio | None:
    """Their geometric mean, with Student's t; None of none."""
    if not logarithms:
        return None
    count = len(logarithms)
    variance = statistics.variance(logarithms) / count if count > 1 else 0.0
    return _ratio(logarithms, variance, count - 1)


def apart(own: list[Measured], other: list[Measured]) -> Ratio | None:
    """Of processes that measured one each, by the same rule with the fewer degrees of freedom of
    both sides, which is wider than Welch's."""
    if not own or not other:
        return None
    mine = [math.log(one.median_ns) for one in own]
    theirs = [math.log(one.median_ns) for one in other]
    variance = sum(statistics.variance(v) / len(v) for v in (mine, theirs) if len(v) > 1)
    middle = statistics.fmean(theirs) - statistics.fmean(mine) + math.log(work(own[0], other[0]))
    return _ratio([middle], variance, min(len(mine), len(theirs)) - 1)


def by_order(own: list[Measured], other: list[Measured]) -> tuple[Ratio | None, Ratio | None]:
    """Of the processes that measured the own case first, and of those that measured it last."""
    theirs = {one.process: one.place for one in other}
    both = [one for one in own if one.process in theirs]
    first = [one for one in both if one.place < theirs[one.process]]
    last = [one for one in both if one.place > theirs[one.process]]
    return paired(first, other), paired(last, other)


def fastest(cases: Sequence[list[Measured]]) -> int | None:
    """Which of them has the highest rate; None without any time."""
    timed = [i for i, found in enumerate(cases) if found]
    if not timed:
        return None

    def rate(found: list[Measured]) -> float:
        amount = found[0].flops if all(cases[i][0].flops > 0 for i in timed) else found[0].bytes
        return amount / statistics.median(one.median_ns for one in found)

    return max(timed, key=lambda i: rate(cases[i]))
