"""One file a figure. A figure is a module in this folder that has

    TITLE    what is drawn, a few words
    READING  how to read it, one or two sentences
    ORDER    its place on the page, smaller first
    draw(run, figure) -> bool   draws one run on an empty matplotlib figure; False when there is nothing to draw

and is found by its file's name. It reads nothing but the run and keeps no state.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass

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


def kinds() -> list[Kind]:
    found = []
    for entry in pkgutil.iter_modules(__path__):
        if entry.name.endswith("_test"):
            continue
        module = importlib.import_module(f"{__name__}.{entry.name}")
        found.append(Kind(entry.name, module.TITLE, module.READING, module.ORDER, module.draw))
    return sorted(found, key=lambda kind: (kind.order, kind.name))
