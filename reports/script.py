"""The script of a page, and the style of what it draws. Without it, pages show all that they
have."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path

FOLDER = Path(__file__).parent / "script"
_SHARED = (
    *("dom.js", "words.js", "scale.js", "places.js", "marks.js", "fragment.js", "tables.js"),
    *("cases.js", "chart.js"),
)
_OF_CHARTS = {
    "history": ("zoom.js", "history.js"),
    "nights": ("zoom.js", "nights.js"),
    "samples": ("samples.js",),
    "roofline": ("roofs.js", "roofline.js"),
}
_LAST = ("scroll.js", "start.js")
CHARTS = frozenset(_OF_CHARTS)
"""Kinds of charts."""


def files(charts: Iterable[str] = CHARTS) -> list[str]:
    """In an order in which each finds what it needs when it is run; start.js begins to work."""
    own = dict.fromkeys(file for kind in sorted(charts) for file in _OF_CHARTS[kind])
    return [*_SHARED, *own, *_LAST]


@functools.cache
def text(charts: frozenset[str] = CHARTS) -> str:
    """In a scope of its own: pages see nothing of it. Without comments and indents, since each page
    holds it whole, but for what draws charts that the page has not."""
    return '(() => {\n"use strict";\n' + "".join(map(_short, files(charts))) + "})();\n"


def _short(name: str) -> str:
    """No text of the script goes over several lines, so whole lines can be judged."""
    lines = (line.strip() for line in _read(name).splitlines())
    return "".join(f"{line}\n" for line in lines if line and not line.startswith("//"))


@functools.cache
def style() -> str:
    return _read("style.css")


def _read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")
