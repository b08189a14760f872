"""The sets of buffers that executions of a case rotate over, so that what they read is cold."""

from collections.abc import Callable

from ridgeline.cases import Case
from ridgeline.clocks import Stopwatch
from ridgeline.comparison import Expectation, expected_arrays
from ridgeline.failures import Refused, nothing_to_verify, wrong
from ridgeline.inputs import Input, making
from ridgeline.plain_arrays import with_plain_arrays

MOST_SETS = 1024
FEW_SETS = 64  # where more would not be cold either, and caches are evicted before each sample
MOST_PREPARING_NS = 5e9


class BufferSet:
    """One call of the user's function: what is timed, what is expected, and its inputs."""

    def __init__(self, case: Case, seed: int, device: str, offset: int):
        with making(seed, device, offset) as maker:
            given = case.prepare(**dict(case.problem), dtype=case.dtype, device=device)
        self.inputs: list[Input] = maker.inputs
        self.launch, self.expectation = self._parts(given, case)
        changing = [each for each in self.inputs if not each.fixed]
        if changing and not any(each.nbytes for each in changing):
            raise nothing_to_verify(f"the inputs that {case.prepare.__name__} makes have")
        if not changing:
            raise wrong(
                f"{case.place}: {case.prepare.__name__} makes no input by rl.uniform or another "
                "function of rl that may change between launches: an output that is remembered "
                "could not be told from one that is computed"
            )

    @staticmethod
    def _parts(given: object, case: Case) -> tuple[object, Expectation]:
        if isinstance(given, tuple) and len(given) == 2:
            launch, expectation = given
            if callable(launch) and isinstance(expectation, Expectation):
                return with_plain_arrays(launch, case.prepare), expectation
        raise Refused(
            f"{case.place}: {case.prepare.__name__} must return a callable and rl.expect(...), "
            f"and returned {type(given).__name__}"
        )

    def expected(self) -> list:
        """What the output is for the inputs as they are now."""
        return expected_arrays(self.expectation.compute())

    def expected_as_filled(self) -> list:
        """What the output was before a few elements of its inputs changed."""
        for each in self.inputs:
            each.swap_as_filled()
        try:
            return self.expected()
        finally:
            for each in self.inputs:
                each.swap_as_filled()

    def refill(self) -> None:
        for each in self.inputs:
            each.refill()

    def change_some(self) -> None:
        """Changes a few elements, of all inputs where that can be."""
        for each in self._partly:
            each.change_some()
        if not self._partly:
            self.refill()

    def changing(self) -> list[Callable]:
        """What, called at once, changes a few elements of the kernel's memory; empty where inputs
        can only be made anew as a whole."""
        return [each.changing() for each in self._partly]

    @property
    def _partly(self) -> list[Input]:
        return [each for each in self.inputs if each.changes_partly and not each.fixed]

    def check_inputs(self) -> None:
        for number, each in enumerate(self.inputs, 1):
            if not each.intact():
                raise wrong(
                    f"the callable changed its input {number} (in the order made): inputs stay as "
                    "they are; copy what is worked on, or take memory by rl.empty"
                )

    @property
    def nbytes(self) -> int:
        return sum(each.nbytes for each in self.inputs)


def sets_for(last_level_cache: int, bytes_of_set: int) -> int:
    """A power of two, or three times one, of at least twice the cache; two at least.

    Caches that are evicted are a last resort: threads of libraries fall asleep meanwhile, and what
    is timed then begins by waking them. A product of 512 x 512 took up to twice as long."""
    wanted = 2 * last_level_cache / max(bytes_of_set, 1)
    most = MOST_SETS if wanted <= MOST_SETS else FEW_SETS
    count = 2
    while count < wanted and count < most:
        count = _next(count)
    return count


def _next(count: int) -> int:
    return count * 3 // 2 if count & (count - 1) == 0 else count * 4 // 3


class BufferSets:
    """All sets of a case, of which the first is made."""

    def __init__(self, case: Case, seed: int, device: str, offset: int):
        self._place = (device, offset)
        self._case, self._seed = case, seed
        self.sets = [BufferSet(case, seed, *self._place)]

    def grow(self, count: int) -> None:
        """Makes sets until there are so many, or as many as there is time for: then fewer, of a
        number that `sets_for` gives, too."""
        watch = Stopwatch()
        for number in range(1, count):
            self.sets.append(BufferSet(self._case, self._seed + number, *self._place))
            if watch.ns() > MOST_PREPARING_NS:
                break
        keep = 2
        while _next(keep) <= len(self.sets):
            keep = _next(keep)
        del self.sets[max(keep, 2) :]

    def __len__(self) -> int:
        return len(self.sets)
