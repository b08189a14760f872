"""What runs say of pairs, as Markdown."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ci.studies.vendor_ratios.pairs import Pair
from ci.studies.vendor_ratios.ratios import (
    Measured,
    Ratio,
    apart,
    by_order,
    cases_of,
    fastest,
    paired,
)

COLUMNS = (
    *("pair", "aim", "beside", "own first", "own last", "alone", "sustained", "reached"),
    *("own", "against"),
)
MEMORY_BOUND = 20  # operations per byte, below which a rate is told in bytes


@dataclass(frozen=True)
class Row:
    """A pair as it was measured. `against` is the case that counted."""

    pair: Pair
    against: str
    beside: Ratio | None
    own_first: Ratio | None
    own_last: Ratio | None
    alone: Ratio | None
    sustained: Ratio | None
    own_at: str
    against_at: str


def at(found: list[Measured]) -> str:
    """What a case keeps up without a pause, medians over processes: "735 TFLOP/s, 1350 MHz, 700 W".
    Empty where that was not measured."""

    def middle(name: str) -> float | None:
        values = [one.metrics[name] for one in found if name in one.metrics]
        return statistics.median(values) if values else None

    time, clock, power = map(middle, ("sustained_time", "sustained_sm_clock", "sustained_power"))
    if not time:
        return ""
    flops, size = found[0].flops, found[0].bytes
    computes = flops > MEMORY_BOUND * size
    rate = f"{flops / time / 1e3:.4g} TFLOP/s" if computes else f"{size / time / 1e3:.4g} TB/s"
    return ", ".join(
        [rate] + ([f"{clock:.0f} MHz"] if clock else []) + ([f"{power:.0f} W"] if power else [])
    )


def row(pair: Pair, runs: Mapping[frozenset[str], Sequence[dict]]) -> Row | None:
    """`runs` are the lines of the newest run of these cases. None where the pair was not measured
    or one of its sides has no time."""
    measured = cases_of(runs.get(frozenset(pair.cases), ()))
    own = measured.get(pair.own, [])
    others = [measured.get(name, []) for name in pair.against]
    best = fastest(others)
    if not own or best is None:
        return None
    other, name = others[best], pair.against[best]
    alone = [cases_of(runs.get(frozenset([case]), ())).get(case, []) for case in (pair.own, name)]
    return Row(
        pair,
        name,
        paired(own, other),
        *by_order(own, other),
        apart(*alone),
        paired(own, other, "sustained_ns"),
        at(own),
        at(other),
    )


def reached(ratio: Ratio | None, figure: float) -> str:
    """Whether the interval lies at or above the figure, holds it, or lies below."""
    if ratio is None or ratio.low is None or ratio.high is None:
        return "?"
    return "yes" if ratio.low >= figure else "within" if ratio.high >= figure else "no"


def shown(ratio: Ratio | None) -> str:
    if ratio is None:
        return ""
    if ratio.low is None:
        return f"{ratio.value:.3f}"
    return f"{ratio.value:.3f} ({ratio.low:.3f} to {ratio.high:.3f})"


def markdown(rows: Sequence[Row]) -> str:
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    for one in rows:
        ratios = (one.beside, one.alone, one.sustained)
        cells = (
            one.pair.title,
            f"{one.pair.figure:.2f}",
            shown(one.beside),
            f"{one.own_first.value:.3f}" if one.own_first else "",
            f"{one.own_last.value:.3f}" if one.own_last else "",
            shown(one.alone),
            shown(one.sustained),
            ", ".join(reached(ratio, one.pair.figure) for ratio in ratios),
            one.own_at,
            one.against_at,
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def missed(rows: Sequence[Row]) -> str:
    """Of pairs measured beside each other those whose whole interval lies below the figure, with
    the share of the own time that would have to go."""
    lines = [
        f"| {one.pair.title} | {one.pair.figure:.2f} | {shown(one.beside)} "
        f"| {1 - one.beside.value / one.pair.figure:.1%} |"
        for one in rows
        if one.beside and reached(one.beside, one.pair.figure) == "no"
    ]
    if not lines:
        return "Of the pairs that were measured, none misses its aim.\n"
    return "\n".join(["| pair | aim | beside | too long by |", "|---|---|---|---|", *lines]) + "\n"
