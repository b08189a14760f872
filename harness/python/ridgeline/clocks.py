"""The clock that times. It is taken here, before any file of a user is loaded: what that file does
to the module `time` afterwards changes nothing of what is measured."""

from collections.abc import Callable
from time import perf_counter_ns as now_ns
from time import process_time_ns as processor_ns
from time import sleep

__all__ = ["now_ns", "processor_ns", "sleep", "Stopwatch"]


class Stopwatch:
    """Time in ns since it was made: of the wall, or of the processor that this process took."""

    def __init__(self, clock: Callable[[], int] = now_ns) -> None:
        self._clock, self._start = clock, clock()

    def ns(self) -> float:
        return float(self._clock() - self._start)
