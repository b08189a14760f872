"""Invented runs of a device that counts, for tests: shaped like an emulated GPU, named
`synthetic-*`.

`python -m reports.synthetic_counts FILE` writes a document of one beside a run with times, to look
at the page."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from reports import synthetic
from reports.synthetic import Json

_TURN = """\
// Turns a matrix through a tile in shared memory.
__global__ void turn(const float* in, float* out, int rows, int cols) {
  __shared__ float held[32][PADDED];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = 32 * blockIdx.y, col = 32 * blockIdx.x;
  for (int j = 0; j < 32; j += 8)
    held[y + j][x] = in[(row + y + j) * cols + col + x];
  __syncthreads();
  for (int j = 0; j < 32; j += 8)
    out[(col + y + j) * rows + row + x] = held[x][y + j];
}
"""

_STEP = """\
// Copies each element `stride` apart; elements between are not read.
__global__ void step(const float* in, float* out, int count, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;

  // Lanes that have no element leave.
  if (i >= count) return;
  out[i] = load_one(in, i * stride);
}
"""

_HELPER = """\
#pragma once

__device__ float load_one(const float* from, int at) { return from[at]; }
"""


def site(
    kernel: str,
    file: str,
    line: int,
    access: str,
    requests: int,
    *,
    sectors: float = 0,
    wavefronts: float = 0,
    lanes: float = 32,
    lane_bytes: int = 4,
) -> Json:
    """Sectors, wavefronts and lanes are of one request."""
    made: Json = {
        "kernel": kernel,
        "file": file,
        "line": line,
        "access": access,
        "lane_bytes": lane_bytes,
    }
    made |= {"requests": requests, "lanes": round(lanes * requests)}
    if sectors:
        made |= {
            "sectors": round(sectors * requests),
            "sectors_needed": float(lane_bytes * requests),
        }
    if wavefronts:
        made |= {
            "wavefronts": round(wavefronts * requests),
            "wavefronts_needed": max(1, lane_bytes / 4) * requests,
        }
    words = {
        "access": f"{access} {lane_bytes} B" if lane_bytes else access,
        "lanes": f"{lanes:.1f}",
    }
    for what, counted, waste in (
        ("sectors", sectors, "uncoalesced"),
        ("wavefronts", wavefronts, "conflicts"),
    ):
        if counted:
            words[what] = f"{counted:.2f}"
            factor = counted * requests / made[f"{what}_needed"]
            if factor > 1:
                made[waste] = factor
                words[waste] = f"{factor:.3g}x"
    return made | {"words": words}


def counted(name: str, sites: list[Json], sources: list[int], *, dram: float = 0) -> Json:
    """A counted case with the metrics that its sites make up."""
    for what in ("sectors", "wavefronts"):
        total = sum(one.get(what, 0) for one in sites) or 1
        for one in (one for one in sites if what in one):
            one["share"] = one[what] / total
            one["words"]["share"] = f"{one['share']:.1%}"
    made = synthetic.case(name, outcome="counted", metrics=_metrics(sites, dram), processes=1)
    made["words"] = {"error": "0 / 1e-05", "dram": f"{dram:g} B"}
    return made | {"processes": 0, "sites": sites, "sources": sources}


def _metrics(sites: list[Json], dram: float) -> list[tuple[str, float, str, str]]:
    def total(key: str, *accesses: str) -> float:
        return sum(one.get(key, 0) for one in sites if one["access"] in accesses)

    made: list[tuple[str, float, str, str]] = []
    for act, accesses in (
        ("load", ("global load", "global async copy")),
        ("store", ("global store",)),
    ):
        requests, sectors = total("requests", *accesses), total("sectors", *accesses)
        made += [
            (f"global_{act}_requests", requests, "1", "lower"),
            (f"global_{act}_sectors", sectors, "1", "lower"),
        ]
        if requests:
            made.append((f"global_{act}_sectors_per_request", sectors / requests, "1", "lower"))
    useful = sum(
        one["lanes"] * one["lane_bytes"] for one in sites if one["access"].startswith("global")
    )
    made.append(("global_useful_bytes", useful, "B", "none"))
    made.append(
        ("global_moved_bytes", 32 * sum(one.get("sectors", 0) for one in sites), "B", "lower")
    )
    shared = ("shared load", "shared store", "shared async copy")
    made.append(("shared_load_wavefronts", total("wavefronts", "shared load"), "1", "lower"))
    made.append(("shared_store_wavefronts", total("wavefronts", *shared[1:]), "1", "lower"))
    if total("requests", *shared):
        ratio = total("wavefronts", *shared) / total("requests", *shared)
        made.append(("shared_wavefronts_per_request", ratio, "1", "lower"))
    requests = sum(one["requests"] for one in sites)
    made.append(
        ("lanes_per_request", sum(one["lanes"] for one in sites) / max(1, requests), "1", "higher")
    )
    made.append(("barriers", 64, "1", "lower"))
    if dram:
        made += [
            ("dram_read_bytes", dram / 2, "B", "lower"),
            ("dram_written_bytes", dram / 2, "B", "lower"),
        ]
    return made


def _turn(variant: str, wavefronts: float, text: int, rows: int) -> Json:
    file, requests = f"kernels/turn/{variant}.cu", rows * rows // 32
    sites = [
        site("turn", file, 7, "global load", requests, sectors=4),
        site("turn", file, 7, "shared store", requests, wavefronts=1),
        site("turn", file, 10, "shared load", requests, wavefronts=wavefronts),
        site("turn", file, 10, "global store", requests, sectors=4),
    ]
    return counted(
        f"turning/{variant}/f32/rows={rows},cols={rows}", sites, [text], dram=8.0 * rows * rows
    )


def _step(stride: int) -> Json:
    file, helper = "kernels/step/step.cu", "kernels/step/load_one.cuh"
    sites = [
        site("step", helper, 3, "global load", 2048, sectors=min(32, 4 * stride)),
        site("step", file, 7, "global store", 2048, sectors=4),
    ]
    return counted(
        f"stepping/step/f32/stride={stride},elements=65536",
        sites,
        [2, 3],
        dram=2.6e5 * (1 + stride),
    )


def _products() -> list[Json]:
    """Wide accesses, asynchronous copies, tensor cores, and no source."""
    file = "kernels/product/wide.cu"
    sites = [
        site("product", file, 40, "global async copy", 4096, sectors=16, lane_bytes=16),
        site("product", file, 40, "shared async copy", 4096, wavefronts=4, lane_bytes=16),
        site("product", file, 57, "shared load", 8192, wavefronts=8, lane_bytes=16),
        site("product", file, 71, "tensor", 16384, lane_bytes=0),
        site("product", "", 0, "global store", 1024, sectors=16, lane_bytes=16, lanes=20.5),
    ]
    del sites[-1]["line"]
    made = counted("product/wide/f16/m=256,n=256,k=256", sites, [], dram=6e5)
    left = {"sites": 12, "requests": 900, "sectors": 3000, "wavefronts": 77}
    return [made | {"sites_left_out": left, "processes_differ": True}]


def run(model: str = "synthetic-emulated") -> Json:
    cases = [_turn("tiled", 32, 0, 512), _turn("padded", 1, 1, 512), _turn("tiled", 32, 0, 256)]
    cases += [_step(stride) for stride in (1, 2, 4, 8, 16)] + _products()
    unknown = "wgmma.mma_async"
    cases.append(
        synthetic.case(
            "product/warpgroup/f16/m=256,n=256,k=256", outcome="unsupported", reason=unknown
        )
    )
    cases.sort(key=lambda case: case["suite"])
    made = synthetic.run(model, "emulated", cases)
    made["device"] |= {"id": "emulated:sm_00", "name": "Synthetic counting device"}
    made["repeat"] = "ridgeline run --device emulated:sm_00 --seed 1"
    made["builds"][0]["worker"] = "ridgeline-emulated"
    texts = {
        "kernels/turn/tiled.cu": _TURN.replace("PADDED", "32"),
        "kernels/turn/padded.cu": _TURN.replace("PADDED", "32 + 1"),
        "kernels/step/step.cu": _STEP,
        "kernels/step/load_one.cuh": _HELPER,
    }
    made["sources"] = [{"file": file, "text": text} for file, text in texts.items()]
    return made


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python -m reports.synthetic_counts FILE", file=sys.stderr)
        return 64
    document = synthetic.document(run(), synthetic.cpu())
    Path(arguments[0]).write_text(json.dumps(document, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
