"""Ticks of axes, and numbers that come without words because they are so many: all others come as
finished words."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.ticker import EngFormatter

_TIMES = ("ns", "us", "ms", "s")
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")

prefixed = EngFormatter()
"""A tick of an axis whose label names the unit: "10 T"."""


def size(count: float) -> str:
    """ "1.5 KiB"."""
    steps = min(len(_BINARY) - 1, int(np.log2(max(1, count)) / 10))
    return f"{plain(count / 1024**steps, 4)} {_BINARY[steps]}"


def count(value: float) -> str:
    """All digits of a whole number, three of any other."""
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e15 else plain(value)


def plain(value: float, digits: int = 3, trim: str = "-") -> str:
    """Without zeros at its end, which the `trim` "k" keeps."""
    if value != 0 and not 1e-4 <= abs(value) < 1e15:
        return f"{value:.{digits}g}"
    return np.format_float_positional(
        value, precision=digits, fractional=False, unique=False, trim=trim
    ).rstrip(".")


def time(ns: float) -> str:
    """ "1.23 us", as `ridgeline` shows it."""
    size, unit = _time_unit(ns)
    value = ns / size
    if 1 <= value < 999.5:  # nearly all, and they are many
        return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f} {unit}"
    return f"{_digits(value, 3)} {unit}"


def time_range(low: float, high: float) -> str:
    """ "1.23 to 1.31 us": in one unit, with more digits where three would read the same."""
    size, unit = _time_unit(low)
    digits, whole = 3, len(f"{high / size:.0f}")
    while digits < 6 and low < high and _digits(low / size, digits) == _digits(high / size, digits):
        digits += 1
    return f"{_digits(low / size, digits)} to {_digits(high / size, max(digits, whole))} {unit}"


def _time_unit(ns: float) -> tuple[float, str]:
    size = 1.0
    for unit in _TIMES[:-1]:
        if ns < 999.5 * size:
            return size, unit
        size *= 1000
    return size, _TIMES[-1]


def _digits(value: float, digits: int) -> str:
    """So many significant ones, without an exponent where zeros would not fill lines."""
    if not 1e-9 <= value < 1e15:
        return f"{value:.{min(digits, 6)}g}"
    shown = float(f"{value:.{digits - 1}e}")
    return f"{shown:.{max(0, digits - 1 - math.floor(math.log10(shown)))}f}"
