"""Ticks of axes, and what is computed for a figure alone: all other numbers come as finished
words."""

from __future__ import annotations

import numpy as np
from matplotlib.ticker import EngFormatter

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
