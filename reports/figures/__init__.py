"""One file a figure. A figure is a module in this folder that has

    TITLE    what is drawn, a few words
    READING  how to read it, one or two sentences
    ORDER    its place on the page, smaller first
    draw(run, figure) -> bool   draws one run on an empty matplotlib figure; False when there is
                                nothing to draw
    data(run) -> list           the rows that it draws (reports/table), for a CSV file

and is found by its file's name. It reads nothing but the run and keeps no state. A figure of a run
without times is of the counts of one suite, and one of a gate, a trend or a comparison is of its
pages:

    OF = "suite"                         what it is drawn of; without it, "run"
    draw(run, suite, figure) -> bool
    data(run, suite) -> list

    OF = "gate"                          or "trend", or "comparison"
    pages(of) -> list                    what each picture shows, so that long lists stay
                                         readable; empty: nothing
    draw(page, figure)
    data(page) -> list
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Kind:
    """A kind of figure, as its module describes it; only those of a gate, a trend or a comparison
    have pages."""

    name: str
    title: str
    reading: str
    order: int
    of: str
    draw: Callable[..., bool | None]
    data: Callable[..., list[Any]]
    pages: Callable[[Any], list[Any]] | None = None


def kinds(of: str | None = None) -> list[Kind]:
    """Of figures of a "run", a "suite", a "gate", a "trend" or a "comparison"; without `of`,
    all."""
    made = []
    for name in (
        entry.name for entry in pkgutil.iter_modules(__path__) if not entry.name.endswith("_test")
    ):
        module = importlib.import_module(f"{__name__}.{name}")
        drawn_of, pages = getattr(module, "OF", "run"), getattr(module, "pages", None)
        if of in (None, drawn_of):
            about = (name, module.TITLE, module.READING, module.ORDER, drawn_of)
            made.append(Kind(*about, module.draw, module.data, pages))
    return sorted(made, key=lambda kind: (kind.order, kind.name))
