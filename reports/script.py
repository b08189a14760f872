"""The one script of all pages, and the style of what it draws. Without it, pages show all that they
have."""

from __future__ import annotations

import functools
from pathlib import Path

from reports import policy

FOLDER = Path(__file__).parent / "script"
FILES = (
    *("dom.js", "words.js", "scale.js", "marks.js", "fragment.js", "tables.js", "cases.js"),
    *("zoom.js", "history.js", "nights.js", "samples.js", "roofs.js", "roofline.js", "chart.js"),
    *("scroll.js", "start.js"),
)
"""In an order in which each finds what it needs when it is run; start.js begins to work."""


@functools.cache
def text() -> str:
    """In a scope of its own: pages see nothing of it. Without comments and indents, since each page
    holds it whole."""
    return '(() => {\n"use strict";\n' + "".join(map(_short, FILES)) + "})();\n"


def _short(name: str) -> str:
    """No text of the script goes over several lines, so whole lines can be judged."""
    lines = (line.strip() for line in _read(name).splitlines())
    return "".join(f"{line}\n" for line in lines if line and not line.startswith("//"))


def digest() -> str:
    return policy.digest(text())


@functools.cache
def style() -> str:
    return _read("style.css")


def _read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")
