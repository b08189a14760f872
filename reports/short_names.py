"""Names as a figure shows them: shortened by what they share, and cut between words, never within
one or within a number."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from reports import plot

_CUT = "…"


def whole_words(name: str, limit: int) -> str:
    """`name` within so many letters: words between slashes and commas are left out of its middle;
    a word that is too long by itself is cut."""
    clean = plot.shown(name, len(name) + 1)
    if len(clean) <= limit:
        return clean
    words = re.findall(r"[^/,]*[/,]|[^/,]+$", clean)
    head, tail, room = 0, 0, limit - len(_CUT)
    while head + tail < len(words):
        fits = [
            (at, len(words[at])) for at in (len(words) - 1 - tail, head) if len(words[at]) <= room
        ]
        if not fits:
            break
        at, length = fits[-1] if head < tail else fits[0]
        room -= length
        head, tail = (head + 1, tail) if at == head else (head, tail + 1)
    if not head and not tail:
        return plot.shown(name, limit)
    return "".join(words[:head]) + _CUT + "".join(words[len(words) - tail :])


def beginning(sentence: str, limit: int) -> str:
    """The words of a sentence that fit into so many letters."""
    cut = textwrap.shorten(plot.shown(sentence, len(sentence) + 1), limit, placeholder=f" {_CUT}")
    return cut if cut.strip() != _CUT else plot.shown(sentence, limit)


def lines(name: str, limit: int) -> list[str]:
    """A case's name, its problem on lines of its own, two at most, where all does not fit one."""
    if len(name) <= limit:
        return [plot.shown(name, limit)]
    what, slash, problem = name.rpartition("/")
    first, rest = "", problem
    while (end := rest.find(",") + 1) and len(first) + end <= limit < len(first) + len(rest):
        first, rest = first + rest[:end], rest[end:]
    return [whole_words(part, limit) for part in (what + slash, first, rest) if part]


def of_rows(names: Sequence[str], limit: int) -> list[str]:
    """Cases' names, one a row, within so many letters."""
    return [whole_words(name, limit) for name in without_shared(names, limit)]


def without_shared(names: Sequence[str], limit: int) -> list[str]:
    """Names; one that is longer than `limit` leaves out the fields that all names have which begin
    with the same word. An ellipsis at its end says so."""
    shared = _shared(names)
    shown = []
    for name in names:
        what, fields = _parts(name)
        alike = shared.get(_first_word(name), ())
        kept = [field for field in fields if field not in alike or " " in field]  # of a metric
        if len(plot.shown(name, len(name) + 1)) > limit and len(kept) < len(fields):
            name = f"{what}/{','.join([*kept, _CUT])}"
        shown.append(name)
    return shown


def _shared(names: Sequence[str]) -> dict[str, set[str]]:
    """The fields that all names with this first word have; a name that is alone shares none."""
    fields: dict[str, list[set[str]]] = {}
    for name in dict.fromkeys(names):
        fields.setdefault(_first_word(name), []).append(set(_parts(name)[1]))
    return {word: set.intersection(*some) for word, some in fields.items() if len(some) > 1}


def _first_word(name: str) -> str:
    return name.partition("/")[0]


def _parts(name: str) -> tuple[str, list[str]]:
    """What stands before the problem's fields, and these."""
    what, slash, problem = name.rpartition("/")
    return (what, problem.split(",")) if slash and "=" in problem else (name, [])


def apart(a: str, b: str, limit: int) -> tuple[str, str]:
    """What two programs, commits or runs are called side by side, within so many letters. Of paths
    from the root, the folders that both lie in are left out; of what is too long, first what both
    begin and end with. Equal only where both are."""
    if a == b:
        name = whole_words(a.rpartition("/")[2] if _is_path(a) else a, limit)
        return name, name
    if _is_path(a) and _is_path(b):
        above = _alike(a.split("/"), b.split("/"))
        a, b = ("/".join(one.split("/")[above:]) or one for one in (a, b))
    a, b = (_last_folders(one) if _is_path(one) else one for one in (a, b))
    shown = plot.shown(a, limit), plot.shown(b, limit)
    if max(len(a), len(b)) <= limit and shown[0] != shown[1]:
        return shown
    cuts = whole_words(a, limit), whole_words(b, limit)
    return cuts if cuts[0] != cuts[1] else _around_difference(a, b, limit)


def _is_path(name: str) -> bool:
    return name.startswith("/")


def _last_folders(path: str) -> str:
    """With the folder that the file lies in, and no others."""
    parts = path.split("/")
    return path if len(parts) <= 3 else "/".join([_CUT, *parts[-2:]])


def _alike(a: Sequence[str], b: Sequence[str]) -> int:
    """How many they begin with that are equal."""
    pairs = zip(a, b, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(a), len(b)))


def _around_difference(a: str, b: str, limit: int) -> tuple[str, str]:
    """Letters from shortly before the first that differs."""
    a, b = (plot.shown(one, len(one) + 1) for one in (a, b))
    start = max(0, _alike(a, b) - limit // 3)
    a, b = ((_CUT if start else "") + one[start:] for one in (a, b))
    first, second = (one if len(one) <= limit else one[: limit - 1] + _CUT for one in (a, b))
    return first, second
