"""Finds results that are remembered by all of their inputs: right for whatever they are asked,
and fast when they were asked before."""

from collections.abc import Callable

from ridgeline.buffer_sets import BufferSet
from ridgeline.clocks import Stopwatch
from ridgeline.failures import CaseFailed, wrong
from ridgeline.spread import median

ROUNDS, CALM = 6, 1  # all but one show a memory, or there is none
FACTOR = 2
LEAST_NS = 20e3  # less is what a call costs after other calls
BUDGET_NS = 50e6  # of all lone executions of a round, unless they are longer
FEWEST, MOST = 3, 9
IN_A_ROW = 16
SURE = 5  # of so many, one that is fast by accident is no matter


def check_recall(alone: Callable, evict: Callable, of: BufferSet, in_samples: bool) -> None:
    """Throws CaseFailed when lone executions are far slower on other inputs than on the same ones
    again: on such of which a few elements have changed, unless all of a sample's are like that,
    then on such that are all new, which finds what repairs an earlier result.

    The second is left out where making inputs anew takes longer than `BUDGET_NS` allows."""
    if in_samples:
        _check(alone, evict, of, of.change_some, "of which a few elements have")
    watch = Stopwatch()
    of.refill()
    if watch.ns() * FEWEST < BUDGET_NS:
        _check(alone, evict, of, of.refill, "that have all")


def check_rows(row: Callable, of: BufferSet) -> None:
    """Throws CaseFailed when executions in a row, before each of which a few elements of its inputs
    change, are far slower than as many after as many changes. Between them is no pause in which
    threads of the kernel could work ahead. `row(calls)` executes all and gives the time in ns."""
    if not of.changing():
        return

    def measured() -> tuple[float, float]:
        fresh, again = [], []
        for _ in range(FEWEST):
            by_turns = [each for _ in range(IN_A_ROW) for each in (*of.changing(), of.launch)]
            fresh.append(row(by_turns) / IN_A_ROW)
            changes = [each for _ in range(IN_A_ROW) for each in of.changing()]
            again.append(row(changes + [of.launch] * IN_A_ROW) / IN_A_ROW)
        return min(fresh), median(again)

    _judge(measured, "of which a few elements have")


def _judge(measured: Callable, which: str) -> None:
    """`measured` gives the ns of an execution on changed inputs, and on the same ones again. An
    honest kernel is seldom slow in the first round. On a busy machine it may be so in several, and
    a memory be hidden in one: so that neither decides, most rounds must agree."""
    calm, shown = 0, (0.0, 0.0)
    for of_round in range(ROUNDS):
        fresh_ns, again_ns = measured()
        if _is_slow(fresh_ns, again_ns):
            shown = fresh_ns, again_ns
            continue
        calm += 1
        if of_round == 0 or calm > CALM:
            return
    raise _remembered(which, *shown)


def _is_slow(fresh_ns: float, again_ns: float) -> bool:
    return fresh_ns > FACTOR * again_ns and fresh_ns - again_ns >= LEAST_NS


def _remembered(which: str, fresh_ns: float, again_ns: float) -> CaseFailed:
    return wrong(
        f"an execution on inputs {which} just changed takes {fresh_ns / 1e3:.0f} us or more, and "
        f"on the same inputs again {again_ns / 1e3:.0f} us: results are remembered"
    )


def _check(alone: Callable, evict: Callable, of: BufferSet, change: Callable, which: str) -> None:
    """Times lone executions, by turns on inputs that `change` has just changed and on the same ones
    again. A round is slow when all of the first, or all but one of many, are far slower than the
    median of the second: what is computed takes as long for either.

    As long as a change takes, is waited before the same inputs, too: threads of a kernel that have
    gone to sleep meanwhile, and may wait for a processor on a busy machine, are no memory."""

    def timed() -> float:
        evict()
        return alone(of).ns

    def changed() -> float:
        watch = Stopwatch()
        change()
        return watch.ns()

    def wait(ns: float) -> None:
        watch = Stopwatch()
        while watch.ns() < ns:
            pass

    watch = Stopwatch()
    change()
    timed()
    probes = int(min(max(BUDGET_NS / (2 * watch.ns()), FEWEST), MOST))

    def measured() -> tuple[float, float]:
        fresh, again = [], []
        for _ in range(probes):
            taken = changed()
            fresh.append(timed())
            wait(taken)
            again.append(timed())
        return sorted(fresh)[probes >= SURE], median(again)

    _judge(measured, which)
