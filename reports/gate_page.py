"""A gate's part of the page: what it came to, and the table of its verdicts."""

from __future__ import annotations

from reports import short_names
from reports.model_gate import Gate, Verdict
from reports.section import Section


def section(one: Section) -> dict[str, object]:
    *more, conclusion = map(sentence, one.of.conclusions)
    return vars(one) | {
        "title": title(one.of),
        "colour": colour(one.of),
        "conclusion": conclusion,
        "more": more,
        "verdicts": [(verdict, verdict_colour(verdict)) for verdict in one.of.verdicts],
    }


_LONGEST_SIDE = 60  # letters of a title


def title(gate: Gate) -> str:
    """What is compared with what; of paths what tells them apart."""
    sides = short_names.apart(gate.facts.candidate, gate.facts.baseline, _LONGEST_SIDE)
    return " against ".join(sides)


def sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def colour(gate: Gate) -> str:
    """The class of the box around the conclusion."""
    return "wrong" if gate.fails else "doubt" if gate.doubtful else ""


def verdict_colour(verdict: Verdict) -> str:
    return (
        "bad" if verdict.fails else "good" if verdict.verdict in ("pass", "improvement") else "note"
    )
