"""Finds results that are remembered by all of their inputs: right for whatever they are asked,
and fast when they were asked before."""

from collections.abc import Callable

from ridgeline.buffer_sets import BufferSet
from ridgeline.failures import wrong

PROBES, ROUNDS = 5, 2
FACTOR = 1.5
LEAST_NS = 20e3  # less is what a call costs after other calls


def check_recall(alone: Callable, evict: Callable, of: BufferSet) -> None:
    """Times lone executions, by turns on inputs of which a few elements have just changed and on
    the same ones again. Throws CaseFailed when every one of the first is far slower than all of
    the second: what is computed takes as long for either."""
    for _ in range(ROUNDS):
        fresh, again = [], []
        for _ in range(PROBES):
            of.change_some()
            for times in (fresh, again):
                evict()
                times.append(alone(of).ns)
        slower = min(fresh) - max(again)
        if min(fresh) <= FACTOR * max(again) or slower < LEAST_NS:
            return
    raise wrong(
        f"an execution on inputs that have just changed takes {min(fresh) / 1e3:.0f} us or more, "
        f"and on the same inputs again {max(again) / 1e3:.0f} us at most: results are remembered"
    )
