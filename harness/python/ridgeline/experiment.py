"""One case: prepared, verified, warmed up, sampled, and verified again.

Every execution goes through `_batch`, whether it is compared afterwards or not. Before each, a few
elements of its inputs change, by random numbers of that moment; which output is kept, and which
samples are compared, is as random. So a kernel cannot tell when it is looked at."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from ridgeline import outputs
from ridgeline.buffer_sets import BufferSet, BufferSets, sets_for
from ridgeline.cases import Case
from ridgeline.clocks import Stopwatch, processor_ns
from ridgeline.comparison import check_types
from ridgeline.failures import CaseFailed, wrong
from ridgeline.judging import Judge, outputs_seen
from ridgeline.order import Order
from ridgeline.recall import check_recall, check_rows
from ridgeline.spread import median, relative_half_width
from ridgeline.telemetry import Sensors

MOST_ALONE_NS = 5e9  # of executing every set once
TRIES = 3  # batches of a size
LEAST_WINDOW = 5  # samples whose median tells whether a case is warm
WINDOWS_IN_BUDGET = 20
STEADY = 0.01
COMPARING = 0.25  # of the time of sampling may go into comparing
RECORDINGS = 2  # of an order of sets, where they are kept
LOOKS = 30  # at outputs after sampling, where they take no longer of the processor than
LOOKS_NS = 1e9
LOOKS_WALL_NS = 5e9  # of a kernel that waits for something else than a processor
ROWS = 3  # of these, however long they take
MOST_BETWEEN = 7  # executions
MOST_REFILLED = 2  # sets at the end: to make all anew may take longer than all samples


def _nothing(*_: object) -> None:
    pass


def _no_sample(_: object) -> list:
    return []


def _not_seen(_: object) -> None:
    pass


def _sometimes(marked: object) -> list | None:
    """One output in three. It is drawn when the timing has ended, so that nothing that is there
    before, the stack included, tells whether an execution will be compared."""
    return outputs_seen(marked) if secrets.randbelow(3) == 0 else None


@dataclass
class Plan:
    """What the request `prepare` asks for."""

    case: Case
    device: str
    seed: int
    hot: bool
    single: bool
    warmup_ns: float
    floor_ns: float
    offset: int = 0  # bytes, by which every input lies behind where it would


class Experiment:
    """Throws CaseFailed where a case ends, and whatever the user's function throws."""

    def __init__(self, plan: Plan, timing, sensors: Sensors, cache_bytes: int):
        self.plan, self.timing, self.sensors = plan, timing, sensors
        self._cache_bytes = cache_bytes
        self.judge = Judge(plan.case, timing)
        self.samples: list[float] = []
        self.settled = False
        self.prepare_ns = self.warmup_ns = self.timed_ns = 0.0
        self._recorded: dict[tuple, list] = {}
        self._failed: CaseFailed | None = None  # what sampling has found
        self._sampled_ns = 0.0  # wall time of all requests for samples
        # The newest batch, and the set that its marked output is of; None once it is compared.
        self._left = None

    # -- preparing -------------------------------------------------------------------------------

    def prepare(self) -> None:
        plan, watch = self.plan, Stopwatch()
        self.sets = BufferSets(plan.case, plan.seed, plan.device, plan.offset)
        first = self.sets.sets[0]
        self.prepare_ns = watch.ns()
        output_bytes = self._first(first)
        # Once more, with inputs that nobody knew when it was prepared.
        first.refill()
        again = self._alone(first, outputs_seen)
        self._judge(again, first, "with new inputs")
        watch = Stopwatch()
        needed = first.nbytes + output_bytes
        wanted = 2 if plan.hot else sets_for(self._cache_bytes, needed)
        self.sets.grow(min(wanted, max(int(MOST_ALONE_NS / again.ns), 2)))
        # Sets that are too small for that are cold because caches are evicted before each sample.
        self._evicts = not plan.hot and len(self.sets) * needed < 2 * self._cache_bytes
        self.order = Order(len(self.sets), plan.hot, plan.single, self._evicts)
        self.prepare_ns += watch.ns()
        for each in self.sets.sets[1:]:  # so that none has its first execution in a sample
            self._alone(each)
        self.timing.wait()
        watch = Stopwatch()
        self._warm_up()
        self.warmup_ns = watch.ns()

    def _first(self, of: BufferSet) -> int:
        """The first execution of all; bytes of its output."""
        batch = self._alone(of, outputs_seen)
        output = outputs.arrays(batch.marked)
        outputs.check_own_memory(output, [each.array for each in of.inputs])
        check_types(output, self.plan.case.dtype)
        self._judge(batch, of, "before timing")
        return outputs.nbytes(output)

    def _alone(self, of: BufferSet, at_end=_no_sample):
        """One execution that is no sample."""
        return self.timing.run(self.timing.record([of.launch], 0, once=True), at_end)

    # -- one batch -------------------------------------------------------------------------------

    def _batch(self, at_end: Callable):
        """Executes the next sample; the batch, and the set of its marked output, of which `at_end`
        may make a copy at the end of the timing."""
        taken = self.order.take()
        recorded, marked = self._record(taken)
        of = self.sets.sets[marked]
        if self.plan.hot:  # a set once untimed: that is what caches then hold
            outputs.poison(outputs.arrays(self._alone(of).marked))
        of.change_some()
        if self._evicts:
            self.timing.evict()
        batch = self.timing.run(recorded, at_end)
        self._left = (batch, of)
        return batch, of

    def _record(self, taken: list[int]):
        calls = [self.sets.sets[number].launch for number in taken]
        if not self.timing.keeps_recorded:
            mark = self.order.mark()
            return self.timing.record(calls, mark), taken[mark]
        known = self._recorded.setdefault(tuple(taken), [])
        if len(known) < min(RECORDINGS, len(taken)):
            mark = self.order.mark()
            known.append((self.timing.record(calls, mark), taken[mark]))
            return known[-1]
        return known[secrets.randbelow(len(known))]

    # -- warming up ------------------------------------------------------------------------------

    def _warm_up(self) -> None:
        watch, budget = Stopwatch(), self.plan.warmup_ns
        self._choose_executions(watch)
        previous, window, spent = 0.0, [], 0.0
        while True:
            batch, _ = self._batch(_not_seen)
            window.append(batch.ns)
            spent += batch.ns
            if watch.ns() + batch.ns > budget:
                return
            if len(window) < LEAST_WINDOW or spent < budget / WINDOWS_IN_BUDGET:
                continue
            middle = median(window)
            if abs(middle - previous) <= STEADY * middle:
                self.settled = True
                return
            previous, window, spent = middle, [], 0.0

    def _choose_executions(self, watch: Stopwatch) -> None:
        """Finds how many executions last as long as a sample should. The fastest of several batches
        of a size counts, and of one alone where that is longer than the warm-up may be."""
        wanted = 1
        for _ in range(6):
            self.order.set_executions(wanted)
            self._recorded.clear()
            fastest, tried = float("inf"), Stopwatch()
            for _ in range(TRIES):
                fastest = min(fastest, self._batch(_not_seen)[0].ns)
                if tried.ns() > self.plan.warmup_ns:
                    break
            if fastest >= 0.9 * self.plan.floor_ns or self.order.at_most():
                return
            each = max(fastest / self.order.executions, 1.0)
            wanted = max(int(self.plan.floor_ns / each) + 1, self.order.executions + 1)
            if watch.ns() > 10 * self.plan.warmup_ns:
                return

    # -- sampling --------------------------------------------------------------------------------

    def sample(self, target: float, least: int, most: int, budget_ns: float) -> list[float]:
        """Samples, each the time of one execution in ns, until the interval of all is within
        `target` of their median, there are `most`, or another one may exceed the budget."""
        watch, taken, longest, comparing = Stopwatch(), [], 0.0, 0.0
        cost = self.judge.wall_ns / max(self.judge.compared, 1)
        next_look = max(least, 1)
        self.sensors.read()
        while not self._enough(taken, watch, longest, target, most, next_look, budget_ns):
            if len(taken) >= next_look:
                next_look = len(taken) + 1 + len(taken) // 20
            self.sensors.poll()
            turn = Stopwatch()
            affordable = comparing + cost <= COMPARING * max(watch.ns(), 0.2 * budget_ns)
            batch, of = self._batch(_sometimes if affordable else _not_seen)
            taken.append(batch.ns / self.order.executions)
            self.samples.append(taken[-1])
            self.timed_ns += batch.ns
            longest = max(longest, turn.ns())
            if batch.seen is not None:
                turn = Stopwatch()
                try:
                    self._judge(batch, of, "in a sample")
                except CaseFailed as failed:  # which `finish` says
                    self._failed = failed
                    return taken
                comparing += turn.ns()
        self.sensors.read()
        self._sampled_ns += watch.ns()
        if self.timed_ns > self._sampled_ns:
            self._failed = wrong("samples add up to more than the time in which they were taken")
        return taken

    def _enough(self, taken, watch, longest, target, most, next_look, budget_ns) -> bool:
        if not taken:
            return False
        if len(taken) >= max(most, 1) or watch.ns() + longest > budget_ns:
            return True
        if len(taken) < next_look:
            return False
        width = relative_half_width(self.samples)
        return width is not None and width <= target

    # -- verifying -------------------------------------------------------------------------------

    def finish(self) -> None:
        """What the newest sample left; then another sample, on inputs that are all new."""
        if self._failed is not None:
            raise self._failed
        if self._left is not None:
            batch, of = self._left
            batch.seen, batch.seeing_ns = outputs_seen(batch.marked), 0.0
            self._judge(batch, of, "after the last sample")
        # The only execution of a sample is always on inputs that have just changed.
        several = self.order.executions > 1 and self.timing.launch != "graph"
        self._look_often(in_a_row=several)
        for each in self.sets.sets[:MOST_REFILLED]:
            each.refill()
        batch, of = self._batch(outputs_seen)
        self._judge(batch, of, "in a batch after sampling")
        self._judge_on_top(of)
        self.timing.check()
        if self.timing.launch != "graph":
            evict = self.timing.evict if self._evicts else _nothing
            check_recall(self._alone, evict, of, several)
            if several:
                check_rows(self._row, of)
        self.judge.check_ended()
        self.judge.check_dependence()

    def _look_often(self, in_a_row: bool) -> None:
        """Compares many outputs, of executions that do not differ from those of samples: a kernel
        that leaves out a share of its executions is found sooner, the more of them are compared.
        How many lie in between is drawn: to who counts its calls, any may be the one."""
        watch, wall, execution_ns = Stopwatch(processor_ns), Stopwatch(), median(self.samples)
        cost = execution_ns * self.order.executions + self.judge.wall_ns / self.judge.compared
        between = min(MOST_BETWEEN, int(LOOKS_NS / LOOKS / execution_ns))
        for look in range(LOOKS):
            must = in_a_row and look < ROWS
            if watch.ns() + cost > LOOKS_NS and not must:
                return
            if look > 0 and wall.ns() * (look + 1) / look > LOOKS_WALL_NS:
                return
            of = secrets.choice(self.sets.sets)
            if in_a_row and (changing := of.changing()):
                self._judge_in_a_row(of, changing)
                continue
            for _ in range(secrets.randbelow(between + 1)):
                self._alone(of)
            self._recorded.clear()
            batch, of = self._batch(outputs_seen)
            self._judge(batch, of, "in a sample after the last one")

    def _judge_on_top(self, of: BufferSet) -> None:
        """Executes twice, with a few elements changed in between and nothing poisoned: a kernel
        that skips what seems to be there already leaves the first output."""
        self._alone(of)
        of.change_some()
        self._judge(self._alone(of, outputs_seen), of, "on top of an earlier output")

    def _judge_in_a_row(self, of: BufferSet, changing: list[Callable]) -> None:
        """Executes in a row as a sample does, changes a few elements, and executes once more: a
        kernel that does nothing where an execution follows another closely leaves the output
        before."""
        row = [of.launch] * (1 + secrets.randbelow(self.order.executions)) + changing
        recorded = self.timing.record([*row, of.launch], len(row), once=True)
        batch = self.timing.run(recorded, outputs_seen)
        self._judge(batch, of, "after an execution on other inputs, without a pause")

    def _row(self, calls: list[Callable]) -> float:
        """The time in ns of these in a row."""
        return self.timing.run(self.timing.record(calls, len(calls) - 1, once=True), _no_sample).ns

    def _judge(self, batch, of: BufferSet, when: str) -> None:
        self.judge(batch, of, when)
        self._left = None
