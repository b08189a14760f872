"""Batches of executions on the CPU, between two readings of the steady clock."""

import gc
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ridgeline.clocks import now_ns, sleep


@dataclass
class Batch:
    """What one timed batch came to."""

    ns: float
    marked: object  # the output of the execution that was marked
    last: object  # of the last one; None when that is the marked one
    seen: object = None  # what `at_end` made of the marked output, at the end of the timing
    seeing_ns: float = 0.0  # from the end of the timing until that was made


class OnCpu:
    """Times callables in a loop."""

    keeps_recorded = False  # a recording costs nothing: each sample has one of its own

    def __init__(self, cache_bytes: int, single: bool):
        self.launch = "single" if single else "loop"
        self._flushed = np.zeros(2 * cache_bytes // 8 + 1, np.int64)

    def record(self, calls: list[Callable], mark: int, once: bool = False):
        """What `run` takes: executes all in order, and keeps the output of the one at `mark`.
        `once`: it will be run a single time."""
        return calls[: mark + 1], calls[mark + 1 :]

    def run(self, recorded, at_end: Callable | None = None) -> Batch:
        before, after = recorded
        marked = last = seen = None
        gc.disable()
        try:
            start = now_ns()
            for call in before:
                marked = call()
            for call in after:
                last = call()
            end = now_ns()
            gc.disable()  # collecting garbage would let code of the file run
            if at_end:
                seen = at_end(marked)
            seen_at = now_ns()
        finally:
            gc.enable()
        return Batch(float(end - start), marked, last, seen, float(seen_at - end))

    def evict(self) -> None:
        """Writes twice the last-level cache."""
        self._flushed += 1

    def wait(self) -> None:
        """Lets threads end that still work: what they do now was not timed."""
        sleep(0.005)

    def check(self) -> None:
        """Nothing that a CPU could have been told to keep."""
