"""One rank of PyTorch's collectives, started by mpirun: see ci/studies/same_collectives.

Takes a file to meet at, which all ranks can write, and words OPERATION,BYTES,SETS: the largest
buffer of a rank, of f32, and how many sets of buffers calls take in turns. Rank 0 prints a JSON
line per word: operation, bytes, and ns per call."""

import json
import os
import statistics
import sys
from functools import partial
from itertools import cycle

import torch
import torch.distributed as dist

CALLS = 16  # in a row, in a graph: as a pipelined case of Ridgeline has it
WARM_REPLAYS, REPLAYS = 3, 20


def calls_of(operation: str, size: int, sets: int, ranks: int) -> list:
    """A function per set of buffers."""
    count, part = size // 4, size // 4 // ranks
    call, *counts = {
        "all_reduce": (dist.all_reduce, count),
        "broadcast": (partial(dist.broadcast, src=0), count),
        "all_gather": (dist.all_gather_into_tensor, count, part),
        "reduce_scatter": (dist.reduce_scatter_tensor, part, count),
        "all_to_all": (dist.all_to_all_single, count, count),
    }[operation]
    return [
        partial(call, *(torch.rand(floats, device="cuda") for floats in counts))
        for _ in range(sets)
    ]


def graphs_of(calls: list) -> list[torch.cuda.CUDAGraph]:
    """As many as all sets take, CALLS in each; the sets are a power of two."""
    for call in calls:  # connects the ranks, outside of the graphs
        call()
    torch.cuda.synchronize()
    graphs = []
    for first in range(0, len(calls), CALLS):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            # Each call would wait for the caller's stream, and that one for the call.
            row = [calls[i % len(calls)](async_op=True) for i in range(first, first + CALLS)]
            for call in row:
                call.wait()
        graphs.append(graph)
    return graphs


def replay_ns(graph: torch.cuda.CUDAGraph) -> float:
    dist.barrier()
    torch.cuda.synchronize()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    graph.replay()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) * 1e6


def slowest_rank_ns(operation: str, size: int, sets: int) -> float:
    """Per call: the median of replays, each as long as its slowest rank."""
    graphs = cycle(graphs_of(calls_of(operation, size, sets, dist.get_world_size())))
    for _ in range(WARM_REPLAYS):
        replay_ns(next(graphs))
    times = torch.tensor([replay_ns(next(graphs)) for _ in range(REPLAYS)], device="cuda")
    dist.all_reduce(times, op=dist.ReduceOp.MAX)
    return statistics.median(times.tolist()) / CALLS


def main() -> None:
    meeting, *words = sys.argv[1:]
    rank, ranks = (int(os.environ[f"OMPI_COMM_WORLD_{what}"]) for what in ("RANK", "SIZE"))
    torch.cuda.set_device(rank)
    dist.init_process_group(
        "nccl",
        init_method=f"file://{meeting}",
        rank=rank,
        world_size=ranks,
        device_id=torch.device("cuda", rank),
    )
    for word in words:
        operation, size, sets = word.split(",")
        ns = slowest_rank_ns(operation, int(size), int(sets))
        torch.cuda.empty_cache()
        if rank == 0:
            print(json.dumps({"op": operation, "bytes": int(size), "ns": ns}), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
