"""Batches of executions on a GPU: a graph between two events of one stream, by torch."""

import ctypes
import sys
from collections.abc import Callable
from contextlib import suppress

from ridgeline.clocks import now_ns
from ridgeline.cpu_timing import Batch
from ridgeline.failures import wrong
from ridgeline.spread import median

SPIN_CYCLES = 100_000  # about 50 us, in which the queue fills: Python takes some 20 for a graph
_PERSISTING_L2 = 6  # CU_LIMIT_PERSISTING_L2_CACHE_SIZE


class _Recorded:
    def __init__(self, replay: Callable, spins: bool):
        self.replay, self.spins = replay, spins
        self.marked = self.last = self.graph = None


class OnTorchCuda:
    """Executes on a stream of its own, which is torch's current one meanwhile. What cannot be
    recorded as a graph is launched in a loop, and says so."""

    keeps_recorded = True

    def __init__(self, device: str, cache_bytes: int, single: bool):
        import torch

        # Taken now: the file may put something else into their places later.
        self._torch, self._synchronize = torch, torch.cuda.synchronize
        self._event, self._spin = torch.cuda.Event, torch.cuda._sleep
        torch.cuda.set_device(device)
        self._stream = torch.cuda.Stream()
        self._single = single
        self.launch = "single" if single else "graph"
        self._flushed = torch.zeros(2 * cache_bytes + 4, dtype=torch.uint8, device=device)
        self._walls, self._times, self._late = [], [], []
        self._driver = self._open_driver()

    @staticmethod
    def _open_driver():
        with suppress(OSError):
            driver = ctypes.CDLL("libcuda.so.1")
            driver.cuCtxResetPersistingL2Cache()
            driver.cuCtxSetLimit(ctypes.c_int(_PERSISTING_L2), ctypes.c_size_t(0))
            return driver
        return None

    def record(self, calls: list[Callable], mark: int, once: bool = False) -> _Recorded:
        """As OnCpu.record. A graph unless it is run once only, or recording it fails."""
        if once or self._single or self.launch == "loop":
            # Work on another stream would be done while the spinning kernel holds up this one, so
            # what is executed to be compared does not spin.
            return self._loop(calls, mark, spins=self._single and not once)
        try:
            return self._graph(calls, mark)
        except RuntimeError as error:
            first = (str(error).splitlines() or [""])[0][:300]
            print(f"ridgeline: no graph, so launched in a loop: {first}", file=sys.stderr)
            self.launch = "loop"
            with suppress(RuntimeError):
                self._synchronize()
            return self._loop(calls, mark, spins=False)

    def _graph(self, calls: list[Callable], mark: int) -> _Recorded:
        torch = self._torch
        self._synchronize()
        graph = torch.cuda.CUDAGraph()
        recorded = _Recorded(graph.replay, spins=True)
        with torch.cuda.graph(graph, stream=self._stream):
            for number, call in enumerate(calls):
                output = call()
                if number == mark:
                    recorded.marked = output
                elif number == len(calls) - 1:
                    recorded.last = output
        recorded.graph = graph
        graph.replay()  # the first one uploads it
        self._synchronize()
        return recorded

    def _loop(self, calls: list[Callable], mark: int, spins: bool) -> _Recorded:
        def launch() -> None:
            for number, call in enumerate(calls):
                output = call()
                if number == mark:
                    recorded.marked = output
                elif number == len(calls) - 1:
                    recorded.last = output

        recorded = _Recorded(launch, spins)
        return recorded

    def run(self, recorded: _Recorded, at_end: Callable | None = None) -> Batch:
        torch = self._torch
        start, end = self._event(enable_timing=True), self._event(enable_timing=True)
        self._synchronize()
        began = now_ns()
        with torch.cuda.stream(self._stream):
            if recorded.spins:
                self._spin(SPIN_CYCLES)
            start.record(self._stream)
            recorded.replay()
            end.record(self._stream)
            # In the order of this stream: what is done on another one is not there yet.
            seen = at_end(recorded.marked) if at_end else None
        end.synchronize()
        ended = now_ns()
        self._synchronize()
        late = now_ns() - ended
        ns = max(float(start.elapsed_time(end)) * 1e6, 1.0)
        if seen is None:
            self._walls.append(float(ended - began))
            self._times.append(ns)
            self._late.append(float(late))
        return Batch(ns, recorded.marked, recorded.last, seen)

    def evict(self) -> None:
        """Writes twice the L2."""
        self._flushed.add_(1)

    def wait(self) -> None:
        self._synchronize()

    def check(self) -> None:
        """Throws CaseFailed when times were not those of all work, or lines were kept in L2."""
        if self._times:
            ns, wall, late = median(self._times), median(self._walls), median(self._late)
            if late > 0.1 * ns + 100e3:
                raise wrong(
                    f"after the stream that was timed had ended, the device worked for another "
                    f"{late / 1e3:.0f} us: launch on torch's current stream, and join others"
                )
            if wall > 2 * ns + 2e6 and self.launch == "graph":
                raise wrong(
                    f"events say {ns / 1e3:.0f} us for what took {wall / 1e3:.0f} us by the clock"
                )
        if self._driver is None:
            return
        kept = ctypes.c_size_t(0)
        asked = self._driver.cuCtxGetLimit(ctypes.byref(kept), ctypes.c_int(_PERSISTING_L2))
        if asked == 0 and kept.value > 0:
            raise wrong(f"the file has {kept.value} bytes of L2 persist, so nothing there is cold")
