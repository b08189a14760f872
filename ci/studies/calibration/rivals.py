"""What other tools' rules say of the same samples.

The rules are written anew from their sources, which are named with each:

- Google Benchmark, tools/compare.py and tools/gbench/report.py at 267a111 (2026-08-18): scipy's
  mannwhitneyu(alternative="two-sided") over the repetitions of both sides, alpha 0.05, no smallest
  effect.
- NVBench, python/scripts/nvbench_compare.py at 66212f1 (2026-08-12), whose rule
  nvbench-compare-legacy keeps: SLOW or FAST when the relative difference of means is larger than
  the smaller of both noises (standard deviation over mean; none from fewer than 5 samples).
- NVBench, python/scripts/nvbench_compare_robust.py at 66212f1: SLOW or FAST when the intervals from
  the minimum to the third quartile are apart by at least 0.5% (preset "default"). It then wants the
  GPU's clock to confirm the gap; the samples here have no such clock, and the rule is given the
  benefit of every confirmation.
"""

import functools
import math
import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

REPETITIONS = 10  # of one process: samples in the order taken, cut into as many parts
Processes = Sequence[Sequence[float]]  # the samples of each process of one side, ns


@dataclass(frozen=True)
class Finding:
    """`strength` above the rule's threshold is an alarm; `slower` is its direction."""

    slower: bool
    strength: float


@dataclass(frozen=True)
class Rule:
    key: str
    name: str
    threshold: float  # as shipped
    judge: Callable[[Processes, Processes], Finding]
    rounds: int | None = None  # that it looks at, the first ones; None: all


def ranks(values: Sequence[float]) -> list[float]:
    """Midranks, from 1."""
    order = sorted(range(len(values)), key=values.__getitem__)
    result = [0.0] * len(values)
    first = 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and values[order[last + 1]] == values[order[first]]:
            last += 1
        for i in range(first, last + 1):
            result[order[i]] = (first + last) / 2 + 1
        first = last + 1
    return result


def u_test(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """(U of `first`, two-sided p) of Mann and Whitney's test as scipy's mannwhitneyu computes it by
    default: exact when a side has at most 8 values and none are tied, else by the normal
    distribution with corrections for ties and continuity. Raises ValueError when a side is
    empty."""
    if not first or not second:
        raise ValueError("a side has no values")
    n, m = len(first), len(second)
    ranked = ranks([*first, *second])
    u = sum(ranked[:n]) - n * (n + 1) / 2
    larger = max(u, n * m - u)
    tied = [count for count in Counter(ranked).values() if count > 1]
    if min(n, m) <= 8 and not tied:
        return u, min(1.0, 2 * _exact_tail(n, m, round(larger)))
    total = n + m
    ties = sum(count**3 - count for count in tied) / (total * (total - 1))
    variance = n * m / 12 * (total + 1 - ties)
    if variance <= 0:
        return u, 1.0
    z = (larger - n * m / 2 - 0.5) / math.sqrt(variance)
    return u, min(1.0, math.erfc(z / math.sqrt(2)))


@functools.cache
def _exact_tail(n: int, m: int, u: int) -> float:
    """P(U >= u) without ties: of all orders of n and m values, the number with each U, value by
    value."""
    placed = [
        [0] * (n * m + 1) for _ in range(n + 1)
    ]  # orders by how many of the n are placed, and U so far
    placed[0][0] = 1
    for position in range(n + m):
        following = [[0] * (n * m + 1) for _ in range(n + 1)]
        for ours in range(max(0, position - m), min(n, position) + 1):
            theirs = position - ours
            for value, count in enumerate(placed[ours]):
                if not count:
                    continue
                if ours < n:  # the next value is ours and lies above all of theirs so far
                    following[ours + 1][value + theirs] += count
                if theirs < m:
                    following[ours][value] += count
        placed = following
    return sum(placed[n][u:]) / math.comb(n + m, n)


def repetitions(samples: Sequence[float]) -> list[float]:
    """Means of REPETITIONS successive parts of a process's samples; the samples when there are no
    more than that."""
    count = min(REPETITIONS, len(samples))
    cuts = [round(i * len(samples) / count) for i in range(count + 1)] if count else []
    return [statistics.fmean(samples[a:b]) for a, b in zip(cuts, cuts[1:], strict=False)]


def _pooled(processes: Processes) -> list[float]:
    return [value for samples in processes for value in samples]


def _by_u_test(baseline: Sequence[float], candidate: Sequence[float]) -> Finding:
    if min(len(baseline), len(candidate)) < 2:  # compare.py wants two repetitions
        return Finding(False, 0.0)
    u, p = u_test(candidate, baseline)
    return Finding(u > len(baseline) * len(candidate) / 2, -math.log10(p) if p > 0 else math.inf)


def _noise(samples: Sequence[float], mean: float) -> float:
    if len(samples) < 5:
        return math.inf
    return math.sqrt(math.fsum((x - mean) ** 2 for x in samples) / (len(samples) - 1)) / mean


def _by_means(baseline: Sequence[float], candidate: Sequence[float]) -> Finding:
    means = statistics.fmean(baseline), statistics.fmean(candidate)
    change = means[1] / means[0] - 1
    noise = min(_noise(baseline, means[0]), _noise(candidate, means[1]))
    if not 0 < noise < math.inf:  # "????"
        return Finding(False, 0.0)
    return Finding(change > 0, abs(change) / noise)


def _low_and_high(samples: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(samples)
    return ordered[0], ordered[
        (75 * (len(ordered) - 1) + 50) // 100
    ]  # NVBench rounds ranks to the nearest


def _by_gap(baseline: Sequence[float], candidate: Sequence[float]) -> Finding:
    old, new = _low_and_high(baseline), _low_and_high(candidate)

    def gap(upper: float, lower: float) -> float:  # negative while the intervals overlap
        return (upper - lower) / min(upper, lower)

    slower, faster = gap(new[0], old[1]), gap(old[0], new[1])
    return Finding(slower > faster, max(slower, faster))


def _first(rule) -> Callable[[Processes, Processes], Finding]:
    return lambda baseline, candidate: rule(baseline[0], candidate[0])


def _all(rule) -> Callable[[Processes, Processes], Finding]:
    return lambda baseline, candidate: rule(_pooled(baseline), _pooled(candidate))


_ALPHA = -math.log10(0.05)
_APART = math.nextafter(0.005, 0)  # 0.5% itself is apart

RULES = [
    Rule(
        "u-process",
        f"compare.py: U test 5%, 1 process of {REPETITIONS} repetitions",
        _ALPHA,
        lambda old, new: _by_u_test(repetitions(old[0]), repetitions(new[0])),
        rounds=1,
    ),
    Rule(
        "u-pooled",
        f"compare.py: U test 5%, {REPETITIONS} repetitions of every process",
        _ALPHA,
        lambda old, new: _by_u_test(
            _pooled([repetitions(p) for p in old]), _pooled([repetitions(p) for p in new])
        ),
    ),
    Rule(
        "u-processes",
        "compare.py: U test 5%, one repetition per process",
        _ALPHA,
        lambda old, new: _by_u_test(
            [statistics.fmean(p) for p in old], [statistics.fmean(p) for p in new]
        ),
    ),
    Rule("legacy-process", "nvbench_compare legacy, 1 process", 1.0, _first(_by_means), rounds=1),
    Rule("legacy-pooled", "nvbench_compare legacy, all processes", 1.0, _all(_by_means)),
    Rule("robust-process", "nvbench_compare robust, 1 process", _APART, _first(_by_gap), rounds=1),
    Rule("robust-pooled", "nvbench_compare robust, all processes", _APART, _all(_by_gap)),
]


def equal_rate_threshold(strongest: Sequence[float], alarms: int) -> float:
    """The lowest threshold at which no more than `alarms` of the suites have a finding above it,
    given each suite's strongest finding. Raises ValueError without suites."""
    if not strongest:
        raise ValueError("there are no suites to tune on")
    ordered = sorted(strongest, reverse=True)
    return ordered[alarms] if alarms < len(ordered) else -math.inf
