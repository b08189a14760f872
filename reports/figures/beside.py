"""What a collective and work cost each other while both go on, and how much of the shorter one is
hidden."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports import plot, table, units
from reports.model import SIZES, Run
from reports.model_together import Beside, Estimate, TimedPart

TITLE = "Collectives beside work"
READING = (
    "An all_reduce beside products of matrices. Left: the share of the shorter one that is hidden; "
    "at 100% it costs nothing, at 0% both take as long as one after the other, and below that "
    "longer. Right: how many times as long each takes beside the other as alone. Bars are 95% "
    "intervals; hollow points have a time that is not steady, or too few processes for an interval."
)
ORDER = 62
MOST_ROWS = 14
_HOLLOW = "hollow: not steady, or no interval"


class _Line:
    """One of the quantities, and the times that it comes from."""

    def __init__(
        self,
        label: str,
        style: plot.Style,
        estimate: Callable[[Beside], Estimate | None],
        parts: Callable[[Beside], tuple[TimedPart, ...]],
    ) -> None:
        self.label, self.style, self.estimate, self.parts = label, style, estimate, parts


HIDDEN = _Line(
    "hidden",
    plot.Style(plot.GREEN, "D"),
    lambda one: one.hidden_share,
    lambda one: (one.work_alone, one.collective_alone, one.both),
)
SLOW_DOWNS = (
    _Line(
        "work",
        plot.Style(plot.BLUE, "o"),
        lambda one: one.work_slow_down,
        lambda one: (one.work_alone, one.work),
    ),
    _Line(
        "collective",
        plot.Style(plot.VERMILLION, "s"),
        lambda one: one.collective_slow_down,
        lambda one: (one.collective_alone, one.collective),
    ),
)


def rows(run: Run) -> list[tuple[str, Beside]]:
    """What has a share or a slow-down, with what tells it apart from the others."""
    known = [
        one
        for one in run.beside
        if one.hidden_share or one.work_slow_down or one.collective_slow_down
    ]
    told = [
        key
        for key in dict.fromkeys(key for one in known for key in one.fields)
        if key not in SIZES and len({one.fields.get(key) for one in known}) > 1
    ]
    named = []
    for one in known:
        words = [one.variant, units.size(one.bytes)]
        words += [f"{key}={one.fields[key]}" for key in told if key in one.fields]
        if len({other.dtype for other in known}) > 1:
            words.append(one.dtype)
        named.append((plot.shown(", ".join(words), 40), one))
    return named


def data(run: Run) -> list[table.Row]:
    found = []
    for label, one in rows(run):
        for name, line in (("hidden share", HIDDEN), *_slow_downs()):
            if estimate := line.estimate(one):
                ends = estimate.interval
                found.append(
                    {
                        "line": label,
                        "what": name,
                        table.unit("value", "1"): estimate.value,
                        table.unit("value low", "1"): ends and ends.low,
                        table.unit("value high", "1"): ends and ends.high,
                        "steady": table.steady(hollow=_is_unsteady(line, one)),
                    }
                )
    return found


def _slow_downs() -> list[tuple[str, _Line]]:
    return [(f"{line.label} beside over alone", line) for line in SLOW_DOWNS]


def draw(run: Run, figure: Figure) -> bool:
    every = rows(run)
    drawn = every[:MOST_ROWS]
    if not drawn:
        return False
    shares, slow_downs = figure.subplots(1, 2, sharey=True)
    _draw_line(shares, HIDDEN, drawn, scale=100, aside=0)
    for line, aside in zip(SLOW_DOWNS, (-0.14, 0.14), strict=True):
        _draw_line(slow_downs, line, drawn, scale=1, aside=aside)
    for axes, places in ((shares, (0, 100)), (slow_downs, (1,))):
        for place in places:
            axes.axvline(place, color=plot.INK, linewidth=1.2, zorder=1.5)
        axes.margins(x=0.08)
    shares.set_yticks(range(len(drawn)), [label for label, _ in drawn])
    shares.set_ylim(len(drawn) - 0.4, -0.6)
    all_of = len(every)
    shares.set_title(
        "hidden" if all_of == len(drawn) else f"hidden (first {len(drawn)} of {all_of})"
    )
    shares.set_xlabel("of the shorter one, %")
    slow_downs.set_title("beside over alone")
    slow_downs.set_xlabel("times as long")
    entries = {line.label: plot.handle(line.style, line=False) for line in SLOW_DOWNS}
    hollow = any(_is_hollow(line, one) for line in (HIDDEN, *SLOW_DOWNS) for _, one in drawn)
    plot.legend_below(figure, entries | plot.hollow_entry(hollow, _HOLLOW))
    return True


def _draw_line(
    axes: Axes, line: _Line, drawn: Sequence[tuple[str, Beside]], *, scale: float, aside: float
) -> None:
    for at, (_, one) in enumerate(drawn):
        estimate = line.estimate(one)
        if estimate is None:
            continue
        look = plot.dot(line.style.colour, line.style.marker, hollow=_is_hollow(line, one))
        if estimate.interval:
            ends = [estimate.interval.low * scale, estimate.interval.high * scale]
            axes.plot(ends, [at + aside] * 2, color=line.style.colour, marker="|", linewidth=1.4)
        axes.plot([estimate.value * scale], [at + aside], **look)


def _is_unsteady(line: _Line, one: Beside) -> bool:
    return any(part.outcome != "ok" for part in line.parts(one))


def _is_hollow(line: _Line, one: Beside) -> bool:
    estimate = line.estimate(one)
    return estimate is not None and (_is_unsteady(line, one) or estimate.interval is None)
