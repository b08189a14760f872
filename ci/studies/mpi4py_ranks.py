"""One rank of mpi4py's collectives on host memory, started by mpirun: see
ci/studies/same_collectives.

Takes a file that it does not need and a JSON list of [operation, bytes]. Rank 0 prints a JSON line
per entry: operation, bytes, and ns per call."""

import json
import statistics
import sys

import numpy as np
from mpi4py import MPI

CALLS = 16  # in a row, as a pipelined case of Ridgeline has it
WARM_ROWS, ROWS = 2, 15
CACHE_BYTES = 256 << 20  # more than the last level of a host's caches
MOST_SETS = 16

RANKS = MPI.COMM_WORLD


def calls_of(operation: str, size: int) -> list:
    """A function per set of buffers; `size` is the largest buffer of a rank, in bytes of f32."""
    count, part = size // 4, size // 4 // RANKS.size
    call, *counts = {
        "all_reduce": (RANKS.Allreduce, count, count),
        "broadcast": (RANKS.Bcast, count),
        "all_gather": (RANKS.Allgather, part, count),
        "reduce_scatter": (RANKS.Reduce_scatter_block, count, part),
        "all_to_all": (RANKS.Alltoall, count, count),
    }[operation]

    def of_set() -> object:
        buffers = [np.random.default_rng(RANKS.rank).random(n, dtype=np.float32) for n in counts]
        return lambda: call(*buffers)

    sets = 1
    while sets < MOST_SETS and sets * size < CACHE_BYTES:
        sets *= 2
    return [of_set() for _ in range(sets)]


def row_s(calls: list) -> float:
    """Of the slowest rank."""
    RANKS.Barrier()
    begun = MPI.Wtime()
    for i in range(CALLS):
        calls[i % len(calls)]()
    return RANKS.allreduce(MPI.Wtime() - begun, op=MPI.MAX)


def main() -> None:
    for operation, size in json.loads(sys.argv[2]):
        calls = calls_of(operation, size)
        for call in calls:  # touches all memory
            call()
        for _ in range(WARM_ROWS):
            row_s(calls)
        ns = statistics.median(row_s(calls) for _ in range(ROWS)) / CALLS * 1e9
        if RANKS.rank == 0:
            print(json.dumps({"op": operation, "bytes": size, "ns": ns}), flush=True)


if __name__ == "__main__":
    main()
