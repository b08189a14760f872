"""One rank of mpi4py's collectives on host memory, started by mpirun: see
ci/studies/same_collectives.

Takes a file that it does not need, and words OPERATION,BYTES,SETS: the largest buffer of a rank, of
f32, and how many sets of buffers calls take in turns. Rank 0 prints a JSON line per word:
operation, bytes, and ns per call."""

import json
import mmap
import statistics
import sys
from collections.abc import Iterator
from itertools import cycle

import mpi4py
import numpy as np

mpi4py.rc.thread_level = "funneled"  # as Ridgeline has it: more costs locks
from mpi4py import MPI  # noqa: E402

CALLS = 16  # in a row, as a pipelined case of Ridgeline has it
WARM_ROWS, ROWS = 3, 15
HUGE_PAGE = 2 << 20

RANKS = MPI.COMM_WORLD


def floats(count: int) -> np.ndarray:
    """As Ridgeline allocates them: large ones of huge pages, from their first byte on."""
    size = 4 * count
    if size < 2 * HUGE_PAGE:
        return np.ones(count, dtype=np.float32)
    memory = mmap.mmap(-1, size + HUGE_PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_HUGEPAGE)
    start = -np.frombuffer(memory, dtype=np.uint8).ctypes.data % HUGE_PAGE
    array = np.frombuffer(memory, dtype=np.float32, count=count, offset=start)
    array[:] = 1
    return array


def calls_of(operation: str, size: int, sets: int) -> list:
    """A function per set of buffers."""
    count, part = size // 4, size // 4 // RANKS.size
    call, *counts = {
        "all_reduce": (RANKS.Allreduce, count, count),
        "broadcast": (RANKS.Bcast, count),
        "all_gather": (RANKS.Allgather, part, count),
        "reduce_scatter": (RANKS.Reduce_scatter_block, count, part),
        "all_to_all": (RANKS.Alltoall, count, count),
    }[operation]

    def of_set() -> object:
        buffers = [floats(count) for count in counts]
        return lambda: call(*buffers)

    return [of_set() for _ in range(sets)]


def row_s(calls: Iterator) -> float:
    """Of the slowest rank. Goes on with the sets after those of the row before."""
    RANKS.Barrier()
    begun = MPI.Wtime()
    for _ in range(CALLS):
        next(calls)()
    return RANKS.allreduce(MPI.Wtime() - begun, op=MPI.MAX)


def main() -> None:
    for word in sys.argv[2:]:
        operation, size, sets = word.split(",")
        calls = cycle(calls_of(operation, int(size), int(sets)))
        for _ in range(WARM_ROWS):
            row_s(calls)
        ns = statistics.median(row_s(calls) for _ in range(ROWS)) / CALLS * 1e9
        if RANKS.rank == 0:
            print(json.dumps({"op": operation, "bytes": int(size), "ns": ns}), flush=True)


if __name__ == "__main__":
    main()
