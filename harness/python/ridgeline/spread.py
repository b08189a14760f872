"""Median, and the 95% interval of a median: what decides whether there are enough samples."""

from collections.abc import Sequence
from math import comb


def median(values: Sequence[float]) -> float:
    """The mean of the middle two when their number is even. Of none it is an error."""
    if not values:
        raise ValueError("there is no median of no values")
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def outside_each_side(count: int) -> int:
    """How many of `count` values lie outside the interval on each side: the most k for which at
    most 2.5% of coins, tossed `count` times, show fewer than k heads. 0 when there are too few."""
    if count > 200:  # the normal approximation, one too wide rather than too narrow
        return max(int(count / 2 - 0.98 * count**0.5 - 0.5), 0)
    below, k = 0, 0
    while 2 * (k + 1) <= count:
        below += comb(count, k)
        if below > 0.025 * 2**count:
            break
        k += 1
    return k


def relative_half_width(values: Sequence[float]) -> float | None:
    """Half of the interval over the median; None when there are too few values for one."""
    k = outside_each_side(len(values))
    middle = median(values)
    if k == 0 or not middle > 0:
        return None
    ordered = sorted(values)
    return (ordered[-k] - ordered[k - 1]) / 2 / middle
