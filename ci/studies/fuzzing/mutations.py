"""Mutations of documents: of their bytes, and of JSON as a tree."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 7, 2**31, 2**53, 2**63, 2**64, -(2**63), 10**30, 10**400),
    *(0.5, -0.0, 1e-320, 1e308, -1e308),
    *("", "x", "-x", "0", "-1", "1e999", "nan", "/", "..", "../../x", "a/b", "%s", "{}", "\0"),
    *("\ud800", "\udc9b", "\x9b31m", "\u202e", "\u2028", "\x1b[2J", "\n::error::x", "##[error]x"),
    *("<script>alert(1)</script>", "`|*_[x](y)", "{{ 7 * 7 }}", "$\\frac{", "$x$", "é" * 300),
    *("x" * 100_000, "2026-11-20T12:45:01Z", "9999-99-99T99:99:99Z"),
    *([], {}, [[]], [{}], {"": ""}, [None], [0] * 1000, {"id": 7}, {"x": {"y": []}}),
)
ODD_BYTES = (
    *(b"\0", b"\xff", b"\xc2\x9b", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r", b"\n", b"\n\n", b","),
    *(b"NaN", b"Infinity", b"-Infinity", b"1e999", b"1" * 5000, b"0x7", b"null", b"true", b"7"),
    *(b"{", b"}", b"[", b"]", b'"', b"\\", b"\\u0000", b"\\ud800", b"[" * 5000, b'{"a":' * 5000),
)


def mutated(seed: bytes, chance: random.Random) -> bytes:
    """Of a document, or of lines of documents."""
    data = seed
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        data = _tree(data, chance) if chance.random() < 0.8 else _bytes(data, chance)
    return data


def _tree(data: bytes, chance: random.Random) -> bytes:
    lines = data.split(b"\n") if data.startswith(b'{"') and b"\n{" in data else [data]
    at = chance.randrange(len(lines))
    try:
        document = json.loads(lines[at])
    except (ValueError, RecursionError):
        return _bytes(data, chance)
    places = list(_places(document))
    if not places:
        lines[at] = json.dumps(chance.choice(ODD_VALUES)).encode()
        return b"\n".join(lines)
    holder, key = chance.choice(places)
    what = chance.randrange(8)
    if what < 4:
        holder[key] = copy.deepcopy(chance.choice(ODD_VALUES))
    elif what == 4:
        del holder[key]
    elif what == 5:  # something of elsewhere
        other, other_key = chance.choice(places)
        holder[key] = copy.deepcopy(other[other_key])
    elif what == 6 and isinstance(holder, list):
        holder.extend(copy.deepcopy(holder[key]) for _ in range(chance.choice((1, 2, 50))))
    elif what == 6:
        holder[str(chance.choice(ODD_VALUES))[:50]] = holder.pop(key)
    else:
        holder[key] = _nudged(holder[key], chance)
    lines[at] = json.dumps(document).encode()
    return b"\n".join(lines)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every holder and key in the tree."""
    found, open_ = [], [value] if isinstance(value, dict | list) else []
    while open_:
        one = open_.pop()
        keys = one.keys() if isinstance(one, dict) else range(len(one))
        for key in keys:
            found.append((one, key))
            if isinstance(one[key], dict | list):
                open_.append(one[key])
    return found


def _nudged(value: Any, chance: random.Random) -> Any:
    """Nearly the same."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float) and abs(value) < 1e300:
        return value * chance.choice((-1, 0, 1e-9, 1e9)) + chance.choice((-1, 0, 1))
    if isinstance(value, str) and value:
        at = chance.randrange(len(value))
        odd = chance.choice(("\n", "\x9b", "", "=", "/", ",", "é", "\udc80"))
        return value[:at] + odd + value[at + 1 :]
    if isinstance(value, list):
        return [*value, *value] if chance.random() < 0.5 else value[: len(value) // 2]
    return value


def _bytes(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    what = chance.randrange(5)
    if what == 0:
        return data[:at]
    if what == 1:
        return data[:at] + chance.choice(ODD_BYTES) + data[at:]
    if what == 2:
        return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]
    end = min(len(data), at + chance.choice((1, 4, 50, 1000)))
    return data[:at] + data[end:] if what == 3 else data[:end] + data[at:]
