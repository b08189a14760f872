"""What other tools' rules say of the same samples.

The rules are written anew from their sources, which are named with each:

- Google Benchmark, tools/compare.py and tools/gbench/report.py at 267a111 (2026-08-18): SciPy's
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

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import mannwhitneyu

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
    u, p = mannwhitneyu(candidate, baseline)
    return Finding(u > len(baseline) * len(candidate) / 2, -math.log10(p) if p > 0 else math.inf)


def _noise(samples: Sequence[float], mean: float) -> float:
    if len(samples) < 5:
        return math.inf
    return np.std(samples, ddof=1) / mean


def _by_means(baseline: Sequence[float], candidate: Sequence[float]) -> Finding:
    means = statistics.fmean(baseline), statistics.fmean(candidate)
    change = means[1] / means[0] - 1
    noise = min(_noise(baseline, means[0]), _noise(candidate, means[1]))
    if not 0 < noise < math.inf:  # "????"
        return Finding(False, 0.0)
    return Finding(change > 0, abs(change) / noise)


def _low_and_high(samples: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(samples)
    third_quartile = (75 * (len(ordered) - 1) + 50) // 100  # NVBench rounds ranks to the nearest
    return ordered[0], ordered[third_quartile]


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
