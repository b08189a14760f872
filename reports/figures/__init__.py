"""One file a figure. A figure is a module in this folder that has

    TITLE    what is drawn, a few words
    READING  how to read it, one or two sentences
    ORDER    its place on the page, smaller first
    draw(run, figure) -> bool   draws one run on an empty matplotlib figure; False when there is nothing to draw

and is found by its file's name. It reads nothing but the run and keeps no state. A figure of a run without times has,
in place of draw,

    draw_suite(run, suite, figure) -> bool    draws the counts of one suite

and a figure of a gate, a trend or a comparison

    OF = "gate"                or "trend", or "comparison": what it is drawn of
    pages(of) -> list          what each picture of it shows, so that long lists stay readable; empty: nothing to draw
    draw_page(page, figure)    draws one of these on an empty matplotlib figure
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from matplotlib.figure import Figure

from reports.model import Run


@dataclass(frozen=True)
class Kind:
    """A kind of figure, as its module describes it."""

    name: str
    title: str
    reading: str
    order: int
    draw: Callable[[Run, Figure], bool]


@dataclass(frozen=True)
class CountKind:
    """A kind of figure of a counted run, as its module describes it."""

    name: str
    title: str
    reading: str
    order: int
    draw_suite: Callable[[Run, str, Figure], bool]


@dataclass(frozen=True)
class PagedKind:
    """A kind of figure of one or more pictures, as its module describes it."""

    name: str
    title: str
    reading: str
    order: int
    pages: Callable[[Any], list[Any]]
    draw_page: Callable[[Any, Figure], None]


def kinds() -> list[Kind]:
    """Of figures of runs that have times."""
    made = [
        Kind(name, module.TITLE, module.READING, module.ORDER, module.draw)
        for name, module in _modules()
        if hasattr(module, "draw")
    ]
    return sorted(made, key=lambda kind: (kind.order, kind.name))


def count_kinds() -> list[CountKind]:
    """Of figures of runs that have counts."""
    made = [
        CountKind(name, module.TITLE, module.READING, module.ORDER, module.draw_suite)
        for name, module in _modules()
        if hasattr(module, "draw_suite")
    ]
    return sorted(made, key=lambda kind: (kind.order, kind.name))


def paged_kinds(of: str | None = None) -> list[PagedKind]:
    """Of figures of a "gate", a "trend" or a "comparison"; without `of`, of all of them."""
    made = [
        PagedKind(name, module.TITLE, module.READING, module.ORDER, module.pages, module.draw_page)
        for name, module in _modules()
        if hasattr(module, "pages") and of in (None, module.OF)
    ]
    return sorted(made, key=lambda kind: (kind.order, kind.name))


def _modules() -> list[tuple[str, ModuleType]]:
    names = [entry.name for entry in pkgutil.iter_modules(__path__) if not entry.name.endswith("_test")]
    return [(name, importlib.import_module(f"{__name__}.{name}")) for name in names]
