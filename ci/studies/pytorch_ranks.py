"""One rank of PyTorch's collectives, started by mpirun: see ci/studies/same_collectives.

Takes a file to meet at, which all ranks can write, and a JSON list of [operation, bytes]. Rank 0
prints a JSON line per entry: operation, bytes, and ns per call."""

import json
import os
import statistics
import sys
from functools import partial

import torch
import torch.distributed as dist

CALLS = 16  # in a row, in a graph: as a pipelined case of Ridgeline has it
WARM_REPLAYS, REPLAYS = 3, 20
MOST_SETS = 16


def sets_of(size: int) -> int:
    """Buffers that calls take in turns, so that none is found in L2 where that can be helped."""
    cache = torch.cuda.get_device_properties(torch.cuda.current_device()).L2_cache_size
    sets = 1
    while sets < MOST_SETS and sets * size < 2 * cache:
        sets *= 2
    return sets


def calls_of(operation: str, size: int, ranks: int) -> list:
    """A function per set of buffers; `size` is the largest buffer of a rank, in bytes of f32."""
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
        for _ in range(sets_of(size))
    ]


def graph_of(calls: list) -> torch.cuda.CUDAGraph:
    for call in calls:  # connects the ranks, outside of the graph
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(CALLS):
            calls[i % len(calls)]()
    return graph


def replay_ns(graph: torch.cuda.CUDAGraph) -> float:
    dist.barrier()
    torch.cuda.synchronize()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    graph.replay()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) * 1e6


def slowest_rank_ns(operation: str, size: int) -> float:
    """Per call: the median of replays, each as long as its slowest rank."""
    graph = graph_of(calls_of(operation, size, dist.get_world_size()))
    for _ in range(WARM_REPLAYS):
        replay_ns(graph)
    times = torch.tensor([replay_ns(graph) for _ in range(REPLAYS)], device="cuda")
    dist.all_reduce(times, op=dist.ReduceOp.MAX)
    return statistics.median(times.tolist()) / CALLS


def main() -> None:
    meeting, asked = sys.argv[1], json.loads(sys.argv[2])
    rank, ranks = (int(os.environ[f"OMPI_COMM_WORLD_{what}"]) for what in ("RANK", "SIZE"))
    torch.cuda.set_device(rank)
    dist.init_process_group(
        "nccl",
        init_method=f"file://{meeting}",
        rank=rank,
        world_size=ranks,
        device_id=torch.device("cuda", rank),
    )
    for operation, size in asked:
        ns = slowest_rank_ns(operation, size)
        torch.cuda.empty_cache()
        if rank == 0:
            print(json.dumps({"op": operation, "bytes": size, "ns": ns}), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
