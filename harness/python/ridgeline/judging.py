"""Judges outputs: each beside what is expected of its inputs as they are now."""

import numpy as np

from ridgeline import outputs
from ridgeline.buffer_sets import BufferSet
from ridgeline.cases import Case
from ridgeline.clocks import Stopwatch
from ridgeline.comparison import Found, compare
from ridgeline.cpu_timing import Batch
from ridgeline.failures import nothing_to_verify, wrong

LEAST_LATE_NS = 100e3
COLD = 3  # times as long a copy of cold memory may take beyond one of warm memory
LATER = 5  # looks at an output that was wrong, some ms apart
LOOKS = 4  # so many that chance does not make all of them late
PUNCTUAL = 3  # of so many more looks at work that goes on, one may be in time

_equal = np.array_equal  # taken now: the file may put something else into its place


def outputs_seen(marked: object) -> list:
    """A copy of an output at the end of a timing, which is what is judged."""
    return outputs.snapshot(outputs.arrays(marked))


def goes_on(late: int, looks: int) -> bool:
    """Whether so many late looks show that work goes on after timings. Chance, or a busy machine,
    makes one in ten looks at an honest kernel late, whose output is large; and work may be left for
    later only mostly. Few looks must all be late, and of many more than two thirds."""
    return late >= LOOKS and looks - late <= (looks - LOOKS) // PUNCTUAL


class Judge:
    """Calling it compares a batch's output, and poisons that. Throws CaseFailed when it is wrong,
    with how that came about as far as it can be told."""

    def __init__(self, case: Case, timing):
        self._case, self._timing = case, timing
        self.found: Found | None = None  # the worst so far
        self.compared, self.wall_ns = 0, 0.0
        self._newest: tuple[BufferSet, list] | None = None  # what was expected of it
        self._first: list | None = None
        self._late: list[float] = []  # ns by which looks at outputs came late
        self._varies = False  # whether other inputs have led to another expectation

    def __call__(self, batch: Batch, of: BufferSet, when: str) -> None:
        watch = Stopwatch()
        self._timing.wait()
        of.check_inputs()
        want = of.expected()
        found = compare(batch.seen, want, self._case.dtype, of.expectation.tolerance)
        if self.found is None or not found.error <= self.found.error:
            self.found = found
        if not found.right:
            raise wrong(f"{when}, {self._why(batch, of, found, want)}")
        if self.compared == 0 and not any(each.size for each in want):
            raise nothing_to_verify("the output and what is expected have")
        self._look_for_change(want)
        self._newest = (of, want)
        self.compared += 1
        output = outputs.arrays(batch.marked)
        outputs.check_own_memory(output, [each.array for each in of.inputs])
        self._look_again(batch)
        outputs.poison(output)
        self.wall_ns += watch.ns()

    def _look_for_change(self, want: list) -> None:
        if self._first is None and not self._varies:
            self._first = [np.array(each) for each in want]
        elif not self._varies:
            pairs = zip(self._first, want, strict=True)
            self._varies = not all(_equal(one, other) for one, other in pairs)
            self._first = None if self._varies else self._first

    def _look_again(self, batch: Batch) -> None:
        """Notes whether the look at the output after the timing took longer than one now, by far
        more than memory that is cold explains: something went on in between."""
        watch = Stopwatch()
        outputs_seen(batch.marked)
        again = watch.ns()
        if batch.seeing_ns > 0:
            late = batch.seeing_ns - again > max(COLD * again, LEAST_LATE_NS)
            self._late.append(batch.seeing_ns - again if late else 0.0)

    def check_ended(self) -> None:
        """Throws CaseFailed when most of the looks that followed timings came late."""
        late = [each for each in self._late if each > 0]
        if goes_on(len(late), len(self._late)):
            raise wrong(
                f"after a timing it took at least {min(late) / 1e3:.0f} us longer to copy the "
                "output than a little later: work went on when its time had been taken"
            )

    def check_dependence(self) -> None:
        """Throws CaseFailed when all that was expected was the same."""
        if not self._varies:
            raise wrong(
                "what is expected was the same for all inputs, so an output that is remembered "
                "could not be told from one that is computed"
            )

    def _why(self, batch: Batch, of: BufferSet, found: Found, want: list) -> str:
        def fits(output: list, expected: list) -> bool:
            return compare(output, expected, self._case.dtype, of.expectation.tolerance).right

        earlier = [of.expected_as_filled()]
        if self._newest is not None and self._newest[0] is of:
            earlier.append(self._newest[1])
        if any(fits(batch.seen, each) for each in earlier):
            return (
                "the output was that of inputs which have changed since: it was remembered, not "
                f"computed ({found.where})"
            )
        for _ in range(LATER):
            if fits(outputs.arrays(batch.marked), want):
                break
            self._timing.wait()
        else:
            return (
                f"the output differed from what is expected: error {found.error:.3g}, tolerance "
                f"{found.tolerance:.3g}; {found.where}"
            )
        return (
            "the output became right only after its time had been taken: work was started and "
            f"not waited for (when the timing ended, {found.where})"
        )
