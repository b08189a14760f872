"""An untrusted JSON object, read key by key; what is wrong is named with its place."""

from __future__ import annotations

import datetime
import math
import unicodedata
from typing import Any

from reports.model import Facts


class InputError(Exception):
    """The input is no report JSON of a version that this program reads; the message says where and why."""


_MISSING = object()
_LONGEST_TEXT = 20_000
_LONGEST_SOURCE = 300_000


def clean(text: str, longest: int = _LONGEST_TEXT) -> str:
    """`text` without what could not be seen or would turn the direction of what follows: control and format characters,
    line ends and tabs excepted, become U+FFFD. Cut where nobody reads on."""
    if len(text) > longest:
        text = text[:longest] + "…"
    if text.isprintable():
        return text
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if letter not in "\n\t" and unicodedata.category(letter) in _UNSEEN else letter
        for letter in text
    )


_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


class Node:
    """A JSON object and where it stands; every accessor checks, and names the place that is wrong."""

    def __init__(self, value: Any, path: str) -> None:
        if not isinstance(value, dict):
            raise InputError(f"{path or 'the document'}: expected an object, got {_shown(value)}")
        self._value = value
        self._path = path

    def at(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path else key

    def has(self, key: str) -> bool:
        return key in self._value

    def text(self, key: str, default: str | None = None) -> str:
        value = self._value.get(key, _MISSING)
        if value is _MISSING and default is not None:
            return default
        return clean(self._expect(key, value, isinstance(value, str), "a string"))

    def source(self, key: str) -> str:
        """A text of many lines, each with one character at its end."""
        value = self._value.get(key, _MISSING)
        self._expect(key, value, isinstance(value, str), "a string")
        return clean(value.replace("\r\n", "\n"), _LONGEST_SOURCE)

    def flag(self, key: str, default: bool | None = None) -> bool:
        if default is not None and not self.has(key):
            return default
        value = self._value.get(key, _MISSING)
        return self._expect(key, value, isinstance(value, bool), "true or false")

    def integer(self, key: str, default: int | None = None) -> int:
        if default is not None and not self.has(key):
            return default
        value = self._value.get(key, _MISSING)
        whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        return self._expect(key, value, whole, "a whole number from 0")

    def number(self, key: str, *, positive: bool = False) -> float:
        value = self._value.get(key, _MISSING)
        good = _is_number(value) and (value > 0 if positive else value >= 0)
        return float(self._expect(key, value, good, f"a finite number {'above' if positive else 'from'} 0"))

    def optional(self, key: str, *, positive: bool = False) -> float | None:
        return self.number(key, positive=positive) if self.has(key) else None

    def signed(self, key: str) -> float | None:
        if not self.has(key):
            return None
        return float(self._expect(key, self._value[key], _is_number(self._value[key]), "a finite number"))

    def interval(self, key: str) -> tuple[float, float] | None:
        if not self.has(key):
            return None
        value = self._value[key]
        good = isinstance(value, list) and len(value) == 2 and all(map(_is_number, value)) and 0 < value[0] <= value[1]
        low, high = self._expect(key, value, good, "two positive finite numbers, the lower first")
        return float(low), float(high)

    def places(self, key: str, count: int) -> tuple[int, ...]:
        """Places in a list of `count`."""
        value = self._value.get(key, _MISSING)
        whole = isinstance(value, list) and all(isinstance(at, int) and not isinstance(at, bool) for at in value)
        good = whole and all(0 <= at < count for at in value)
        return tuple(self._expect(key, value, good, f"a list of whole numbers below {count}"))

    def values(self, key: str) -> tuple[float, ...]:
        value = self._value.get(key, _MISSING)
        good = isinstance(value, list) and all(map(_is_number, value))
        return tuple(map(float, self._expect(key, value, good, "a list of finite numbers")))

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._value.get(key, _MISSING)
        good = isinstance(value, list) and all(isinstance(one, str) for one in value)
        return tuple(map(clean, self._expect(key, value, good, "a list of strings")))

    def counts(self, key: str) -> dict[str, int]:
        value = self._value.get(key, _MISSING)
        good = isinstance(value, dict) and all(
            isinstance(count, int) and not isinstance(count, bool) and count >= 0 for count in value.values()
        )
        self._expect(key, value, good, "an object of whole numbers from 0")
        return {clean(name): count for name, count in value.items()}

    def date(self, key: str) -> datetime.date:
        value = self._value.get(key, _MISSING)
        return datetime.date.fromisoformat(self._expect(key, value, _is_date(value), "a day like 2026-01-31"))

    def dates(self, key: str) -> tuple[datetime.date, ...]:
        value = self._value.get(key, _MISSING)
        good = isinstance(value, list) and all(map(_is_date, value)) and value == sorted(set(value))
        self._expect(key, value, good, "a list of days like 2026-01-31, each once, ascending")
        return tuple(map(datetime.date.fromisoformat, value))

    def choice(self, key: str, choices: tuple[str, ...]) -> str:
        value = self._value.get(key, _MISSING)
        return self._expect(key, value, value in choices, f"one of {', '.join(choices)}")

    def facts(self, key: str) -> Facts:
        value = self._value.get(key, _MISSING)
        good = isinstance(value, dict) and all(isinstance(fact, str) for fact in value.values())
        self._expect(key, value, good, "an object of strings")
        return {clean(name): clean(fact) for name, fact in value.items()}

    def node(self, key: str) -> Node:
        return Node(self._value.get(key), self.at(key))

    def nodes(self, key: str) -> list[Node]:
        value = self._value.get(key, _MISSING)
        self._expect(key, value, isinstance(value, list), "a list")
        return [Node(item, f"{self.at(key)}[{index}]") for index, item in enumerate(value)]

    def _expect(self, key: str, value: Any, good: bool, what: str) -> Any:
        if not good:
            raise InputError(f"{self.at(key)}: expected {what}, got {_shown(value)}")
        return value


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond the range of a double
        return False


def _is_date(value: Any) -> bool:
    if not isinstance(value, str) or len(value) != len("2026-01-31"):
        return False
    try:
        datetime.date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _shown(value: Any) -> str:
    if value is _MISSING:
        return "nothing"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
