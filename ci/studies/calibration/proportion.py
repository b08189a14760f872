"""Clopper and Pearson's exact interval of a proportion (Biometrika 1934)."""

import math


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
            math.exp(total - math.lgamma(k + 1) - math.lgamma(trials - k + 1) + k * yes + (trials - k) * no)
            for k in range(successes, trials + 1)
        ),
    )


def interval(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Raises ValueError unless 0 <= successes <= trials and trials >= 1: a rate of nothing is no number."""
    if not (0 <= successes <= trials and trials >= 1):
        raise ValueError(f"{successes} of {trials} is no proportion")
    tail = (1 - confidence) / 2
    low = 0.0 if successes == 0 else _solve(lambda p: at_least(successes, trials, p), tail)
    high = 1.0 if successes == trials else _solve(lambda p: at_least(successes + 1, trials, p), 1 - tail)
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
