"""What a comparison comes to, in words. Never a verdict: `ridgeline gate` gives one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from reports import compared, plot, units
from reports.model_comparison import CAUSES, ComparedSuite, Comparison

_SAID_SUITES, _SAID_RUNS = 3, 2  # in a sentence; the section has all
_KINDS = {"build": "builds", "profile": "profiles", "setting": "settings", "recorded": "what was recorded"}


def title(comparison: Comparison) -> str:
    a, b = comparison.a.model, comparison.b.model
    return f"{a} and {b}" if a != b else f"Two runs of {a}"


def conclusion(comparison: Comparison) -> str:
    """How much was compared."""
    number = comparison.compared
    if number == 0:
        return "Nothing could be compared."
    if comparison.counted:
        equal = sum(1 for case in comparison.counted if not case.not_compared and not case.changed)
        return f"{_of(equal, number)} {'is' if equal == 1 else 'are'} equal in every count."
    suites = len(compared.by_suite(comparison))
    return f"{units.cases(number)} of {suites} suite{'s' if suites != 1 else ''} {_was(number)} compared."


def sentences(comparison: Comparison) -> list[str]:
    """What stands below the conclusion: means, what explains them, and what is missing."""
    if comparison.compared == 0:
        return [said] if (said := left_out(comparison)) else []
    if comparison.counted:
        found = [counts(comparison)]
    else:
        found = [mean(suite) for suite in _largest(comparison.suites)[:_SAID_SUITES]]
        more = len(comparison.suites) - _SAID_SUITES
        if more > 0:
            found.append(f"The table below has the mean{'s' if more > 1 else ''} of {more} more.")
        found.append(explained(comparison, with_sides=True))
    return [said for said in (*found, left_out(comparison)) if said]


def short(comparison: Comparison) -> list[str]:
    """At most three sentences for the first screen."""
    names = _names(comparison)
    doubts = [said.rstrip(".") for said in (other_than_hardware(comparison), left_out(comparison, names)) if said]
    if comparison.compared == 0:
        found = [f"Of {names[0]} and {names[1]} nothing could be compared."]
    elif comparison.counted:
        said = conclusion(comparison)
        found = [f"{names[1]} beside {names[0]}: {said[0].lower()}{said[1:]}"]
    else:
        found = [_ratios(comparison, names), explained(comparison)]
    return found + ([f"{'; '.join(doubts)}."] if doubts else [])


def _names(comparison: Comparison) -> tuple[str, str]:
    """Of the sides, where nothing around says which is which."""
    names = compared.sides(comparison)
    if names != ("A", "B"):
        return names
    return f"run {plot.shown(comparison.a.id, 40)}", f"run {plot.shown(comparison.b.id, 40)}"


def _ratios(comparison: Comparison, names: tuple[str, str]) -> str:
    a, b = names
    suites = _largest(comparison.suites)
    if not suites:
        number = comparison.compared
        return f"{units.cases(number)} of {a} and {b} {_was(number)} compared, and no suite has a mean."
    told = [
        f"{units.cases(suite.cases)} of {plot.shown(suite.suite, 40)}{_alone(suite)}" for suite in suites[:_SAID_SUITES]
    ]
    if len(suites) == 1:
        return f"{b} {_takes(suites[0], a)} over {told[0]}."
    means = [
        f"{suite.words['mean']} ({_interval(suite)}) for {text}" for suite, text in zip(suites, told, strict=False)
    ]
    more = len(suites) - len(means)
    return (
        f"Geometric means of the time of {b} over that of {a}: {_and(means)}"
        + (f"; {more} more suite{'s' if more > 1 else ''}" if more else "")
        + "."
    )


def _interval(suite: ComparedSuite) -> str:
    return "no interval" if suite.ratio_low is None else suite.words["interval"]


def _alone(suite: ComparedSuite) -> str:
    if suite.roofs_ratio is None:
        return ""
    of = "" if suite.roofs_cases == suite.cases else f", of {suite.roofs_cases} of them"
    return f" (rooflines alone: {suite.words['roofs_alone']}{of})"


def mean(suite: ComparedSuite) -> str:
    of = "its one case" if suite.cases == 1 else f"the geometric mean of {suite.cases} cases"
    return f"{suite.suite}: B {_takes(suite, 'A')} in {of}{_alone(suite)}."


def _takes(suite: ComparedSuite, a: str) -> str:
    text = suite.words["mean"]
    times = (
        "as long as" if text == "1.00" else f"{text} of the time of" if suite.ratio < 1 else f"{text} times as long as"
    )
    return f"takes {times} {a} ({_interval(suite)})"


def explained(comparison: Comparison, *, with_sides: bool = False) -> str:
    """How many ratios the hardware explains, and what the rest of the others is."""
    judged = [case for case in comparison.cases if case.cause and case.ratio is not None]
    if not judged:
        return "No roof of both sides says anything of these cases, so nothing is explained."
    found = Counter(case.cause for case in judged)
    told = {"distance": "distance from the roof", "environment": "the environment", "unknown": "unknown"}
    numbers = {cause: str(found[cause]) for cause in CAUSES}
    if with_sides and found["distance"]:
        sides = Counter(case.farther.upper() for case in judged if case.farther)
        numbers["distance"] += ": " + ", ".join(f"{side} is farther for {sides[side]}" for side in sorted(sides))
    others = [f"{told[cause]} ({numbers[cause]})" for cause in CAUSES[1:] if found[cause]]
    one = len(judged) == 1
    every = "the case that has roofs on both sides" if one else f"the {len(judged)} cases that have roofs on both sides"
    if not others:
        return f"The hardware explains {'' if one else 'all '}{every} to within 5%."
    rest = _and(others, "or")
    if not found["hardware"]:
        return f"The hardware does not explain {every} to within 5%: the rest is {rest}."
    return f"The hardware explains {found['hardware']} of {every} to within 5%; the rest of the others is {rest}."


def other_than_hardware(comparison: Comparison) -> str:
    """What differs, by kind, and what is said of a run: the section has the details."""
    kinds = dict.fromkeys(one.kind for one in comparison.differences if one.kind)
    named = [_KINDS.get(kind, kind) for kind in kinds]
    others = [plot.shown(one.words, 80) for one in comparison.differences if not one.kind]
    more = [f"{len(others) - _SAID_RUNS} more"] if len(others) > _SAID_RUNS else []
    parts = [f"Beside the hardware, {_and(named)} differ"] if named else []
    parts += others[:_SAID_RUNS] + more
    return f"{'; '.join(parts)}." if parts else ""


def left_out(comparison: Comparison, names: tuple[str, str] = ("A", "B")) -> str:
    failed = len(comparison.cases) + len(comparison.counted) - comparison.compared
    alone = Counter(one.side for one in comparison.one_sided)
    parts = [f"{units.cases(failed)} could not be compared"] if failed else []
    for side, name in zip(("a", "b"), names, strict=True):
        if alone[side]:
            parts.append(f"{units.cases(alone[side])} {'is' if alone[side] == 1 else 'are'} only in {name}")
    return f"{_and(parts)}." if parts else ""


def counts(comparison: Comparison) -> str:
    counted = [case for case in comparison.counted if not case.not_compared]
    changed = [metric for case in counted for metric in case.changed]
    equal = sum(case.equal_counts for case in counted)
    differ = f"{len(changed)} count{'s' if len(changed) != 1 else ''} differ{'s' if len(changed) == 1 else ''}"
    others = sum(case.other_inputs for case in counted)
    inputs = f" {units.cases(others)} had other inputs, on which counts may depend." if others else ""
    return f"{differ if changed else 'No count differs'}, and {equal} are equal.{inputs}"


def _largest(suites: Sequence[ComparedSuite]) -> list[ComparedSuite]:
    return sorted(suites, key=lambda suite: -suite.cases)


def _of(some: int, number: int) -> str:
    if some == number:
        return "The case" if number == 1 else f"All {number} cases"
    return f"{some} of {units.cases(number)}"


def _was(count: int) -> str:
    return "was" if count == 1 else "were"


def _and(parts: Sequence[str], word: str = "and") -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {word} {parts[-1]}"
