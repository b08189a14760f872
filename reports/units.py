"""Numbers as people read them, with three significant digits, as harness/base/units.hpp writes them."""

from __future__ import annotations

import math

_DECIMAL = ("", "k", "M", "G", "T", "P")
_BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi")
_TIMES = ("ns", "us", "ms", "s")


def time_ends(low: float, high: float) -> tuple[str, str, str]:
    """Both numbers and their unit, with as many digits as it takes to tell them apart."""
    steps = _steps(low, 1e3, len(_TIMES) - 1)
    low, high = low / 1e3**steps, high / 1e3**steps
    digits = 3
    while digits < 6 and low < high and _digits(low, digits) == _digits(high, digits):
        digits += 1  # a narrow interval must not read as one number
    return _digits(low, digits), _digits(high, digits), _TIMES[steps]


def size(count: float) -> str:
    steps = _steps(count, 1024, len(_BINARY) - 1)
    value = count / 1024**steps
    text = f"{value:.0f}" if abs(value) >= 1000 else _without_zeros(_digits(value, 3))
    return f"{text} {_BINARY[steps]}B"


def prefixed(value: float) -> str:
    """A tick of an axis whose label names the unit: "10 T"."""
    number, prefix = _with_prefix(value, "").split(" ")
    return f"{_without_zeros(number)} {prefix}".strip()


def percent(fraction: float) -> str:
    value = 100 * fraction
    if abs(_rounded(value, 2)) < 10:
        return _digits(value, 2) + "%"
    return f"{value:.1f}%" if abs(value) < 99.95 else f"{value:.0f}%"


def factor(value: float) -> str:
    return f"{_digits(value, 3)}×"


def count(value: float) -> str:
    """All digits of a whole number, three of any other."""
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e15 else plain(value)


def cases(number: int) -> str:
    """ "1 case", "2 cases"."""
    return f"{number} case{'s' if number != 1 else ''}"


def plain(value: float) -> str:
    if value != 0 and (abs(value) < 1e-4 or abs(value) >= 1e15):
        return f"{value:.3g}"
    return _without_zeros(_digits(value, 3))


def _rounded(value: float, digits: int) -> float:
    return round(value, digits - 1 - math.floor(math.log10(abs(value)))) if value else 0.0


def _digits(value: float, digits: int) -> str:
    shown = _rounded(value, digits)
    if shown == 0:
        return "0"
    return f"{shown:.{max(0, digits - 1 - math.floor(math.log10(abs(shown))))}f}"


def _steps(value: float, step: float, last: int) -> int:
    steps = 0
    left = abs(value)
    while left >= step - 0.5 and steps < last:  # what would be shown as 1000 moves to the next prefix
        left /= step
        steps += 1
    return steps


def _with_prefix(value: float, unit: str) -> str:
    steps = _steps(value, 1e3, len(_DECIMAL) - 1)
    return f"{_digits(value / 1e3**steps, 3)} {_DECIMAL[steps]}{unit}"


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
