"""The script of a page, and the style of what it draws. Without it, pages show all that they
have."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path

FOLDER = Path(__file__).parent / "script"
_SHARED = (
    *("dom.js", "words.js", "scale.js", "places.js", "marks.js", "fragment.js", "cases.js"),
    "chart.js",
)
_OF_PARTS = {
    "tables": ("tables.js",),
    "history": ("zoom.js", "history.js"),
    "nights": ("zoom.js", "nights.js"),
    "samples": ("samples.js",),
    "roofline": ("roofs.js", "roofline.js"),
}
_LAST = ("scroll.js", "start.js")
PARTS = frozenset(_OF_PARTS)
"""Tables that can be searched, and kinds of charts."""


def files(parts: Iterable[str] = PARTS) -> list[str]:
    """In an order in which each finds what it needs when it is run; start.js begins to work."""
    own = dict.fromkeys(file for one in sorted(parts) for file in _OF_PARTS[one])
    return [*_SHARED, *own, *_LAST]


@functools.cache
def text(parts: frozenset[str] = PARTS) -> str:
    """In a scope of its own: pages see nothing of it. Without comments and indents, since each page
    holds it, with those of PARTS alone that the page has."""
    return '(() => {\n"use strict";\n' + "".join(map(_short, files(parts))) + "})();\n"


def _short(name: str) -> str:
    """No text of the script goes over several lines, so whole lines can be judged."""
    lines = (line.strip() for line in _read(name).splitlines())
    return "".join(f"{line}\n" for line in lines if line and not line.startswith("//"))


@functools.cache
def style() -> str:
    return _read("style.css")


def _read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")
