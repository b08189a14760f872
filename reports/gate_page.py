"""A gate's part of the page: what it came to, and the table of its verdicts in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from reports import units
from reports.model_gate import FAILURES, VERDICTS, Gate, Verdict
from reports.render import Picture, data_uri

DECIDED = ("regression", "improvement", "pass")
FAILED = (
    ("wrong_result", "a result is wrong"),
    ("crashed", "a worker crashed"),
    ("timeout", "a case timed out"),
    ("missing", "a case is missing"),
)


@dataclass(frozen=True)
class Section:
    """One gate with its figures, each of one or more pictures; `anchor` is unique on the page."""

    anchor: str
    gate: Gate
    figures: Sequence[tuple[Picture, ...]]


def section(one: Section) -> dict[str, object]:
    gate = one.gate
    return {
        "anchor": one.anchor,
        "gate": gate,
        "figures": [[(picture, data_uri(picture.svg)) for picture in figure] for figure in one.figures],
        "counts": counts(gate),
        "colour": colour(gate),
        "conclusion": conclusion(gate),
        "lines": [line(verdict) for verdict in gate.by_importance()],
    }


def counts(gate: Gate) -> str:
    """ "2 regression (1 expected), 40 pass": in the order of importance."""
    found = Counter(verdict.verdict for verdict in gate.verdicts)
    expected = Counter(verdict.verdict for verdict in gate.verdicts if verdict.expected)
    return ", ".join(
        f"{found[name]} {name}" + (f" ({expected[name]} expected)" if expected[name] else "")
        for name in VERDICTS
        if found[name]
    )


def _failed(gate: Gate) -> list[Verdict]:
    return [one for one in gate.verdicts if one.verdict in FAILURES]


def _slower(gate: Gate) -> list[Verdict]:
    return [one for one in gate.verdicts if one.verdict == "regression" and not one.expected]


def _unmet(gate: Gate) -> list[Verdict]:
    """Regressions that the rules expect and that were looked for and not found."""
    looked = ("improvement", "pass", "undecided")
    return [one for one in gate.verdicts if one.expectation and one.verdict in looked]


def _decided(gate: Gate) -> bool:
    return any(one.verdict in DECIDED for one in gate.verdicts)


def conclusion(gate: Gate) -> str:
    if gate.status != "finished":
        return f"The gate is {gate.status}: it holds only what was decided until then."
    failures = [words for verdict, words in FAILED if any(one.verdict == verdict for one in gate.verdicts)]
    if _slower(gate):
        failures.append("the candidate is slower")
    if _unmet(gate):
        failures.append("a regression that the rules expect was not seen")
    if failures:
        text = "; ".join(failures)
        return f"{text[0].upper()}{text[1:]}."
    if not _decided(gate):
        return "Nothing could be decided."
    open_ones = sum(1 for one in gate.verdicts if one.verdict not in DECIDED)
    expected = any(one.verdict == "regression" for one in gate.verdicts)
    slower = "No case was shown to be slower" + (" that is not expected to be" if expected else "")
    if not open_ones:
        return f"{slower}."
    return f"{slower}; {open_ones} of {len(gate.verdicts)} cases {'was' if open_ones == 1 else 'were'} not judged."


def colour(gate: Gate) -> str:
    """The class of the box around the conclusion."""
    if gate.status != "finished" or _failed(gate) or _slower(gate) or _unmet(gate):
        return "wrong"
    doubtful = any(one.verdict in ("undecided", "invalid_environment", "no_baseline") for one in gate.verdicts)
    return "doubt" if doubtful or not _decided(gate) else ""


@dataclass(frozen=True)
class Line:
    """A line of the table of verdicts; empty texts where something is not known."""

    case: str
    against: str
    words: str
    colour: str
    change: str
    interval: str
    delta: str
    baseline: str
    candidate: str
    pairs: str
    noise: str
    why: str


def line(verdict: Verdict) -> Line:
    known = verdict.ratio is not None
    bad = verdict.verdict in FAILURES or (verdict.verdict == "regression" and not verdict.expected)
    good = verdict.verdict in ("pass", "improvement")
    return Line(
        case=verdict.case,
        against=verdict.baseline_case if verdict.baseline_case not in ("", verdict.case) else "",
        words=verdict.words,
        colour="bad" if bad else "good" if good else "note",
        change=change(verdict.ratio) if known else "",
        interval=f"{_end(verdict.ratio_low)} to {_end(verdict.ratio_high)}" if known and not verdict.metric else "",
        delta=units.percent(verdict.delta) if verdict.delta else "",
        baseline=_value(verdict.baseline_ns, verdict.baseline_value),
        candidate=_value(verdict.candidate_ns, verdict.candidate_value),
        pairs="" if verdict.metric else _pairs(verdict),
        noise=units.percent(verdict.noise) if verdict.noise is not None else "",
        why=why(verdict),
    )


def _pairs(verdict: Verdict) -> str:
    return f"{verdict.pairs}" + (f" ({verdict.dropped} dropped)" if verdict.dropped else "")


def _value(ns: float | None, count: float | None) -> str:
    """A time, or a count in full."""
    if count is not None:
        return f"{count:.12g}"
    return units.time(ns) if ns else ""


def change(ratio: float | None) -> str:
    """1.032 is "+3.20%"."""
    if ratio is None:
        return ""
    part = 100 * (ratio - 1)
    return f"{part:+.{0 if abs(part) >= 100 else 1 if abs(part) >= 10 else 2}f}%"


def _end(ratio: float | None) -> str:
    return change(ratio) or "no bound"


def why(verdict: Verdict) -> str:
    parts = [verdict.metric, verdict.reason]
    if verdict.expectation:
        parts.append(("expected: " if verdict.expected else "a regression is expected: ") + verdict.expectation)
    if verdict.verdict == "undecided" and verdict.smallest_effect is not None:
        parts.append(f"about {units.percent(verdict.smallest_effect)} could have been found")
    if verdict.p_value is not None and verdict.level is not None:
        parts.append(f"p {verdict.p_value:.2g}, level {verdict.level:.2g}")
    return "; ".join(part for part in parts if part)
