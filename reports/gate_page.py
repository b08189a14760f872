"""A gate's part of the page: what it came to, and the table of its verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports.model_gate import Gate, Verdict
from reports.render import Picture, data_uri


@dataclass(frozen=True)
class Section:
    """One gate with its figures, each of one or more pictures; `anchor` is unique on the page."""

    anchor: str
    gate: Gate
    figures: Sequence[tuple[Picture, ...]]


def section(one: Section) -> dict[str, object]:
    *more, conclusion = map(sentence, one.gate.conclusions)
    return {
        "anchor": one.anchor,
        "gate": one.gate,
        "figures": [[(picture, data_uri(picture.svg)) for picture in figure] for figure in one.figures],
        "colour": colour(one.gate),
        "conclusion": conclusion,
        "more": more,
        "verdicts": [(verdict, verdict_colour(verdict)) for verdict in one.gate.verdicts],
    }


def sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def colour(gate: Gate) -> str:
    """The class of the box around the conclusion."""
    return "wrong" if gate.fails else "doubt" if gate.doubtful else ""


def verdict_colour(verdict: Verdict) -> str:
    return "bad" if verdict.fails else "good" if verdict.verdict in ("pass", "improvement") else "note"
