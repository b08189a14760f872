"""Invented report documents for tests: shaped like real devices, named `synthetic-*`, never
measured.

`python -m reports.synthetic gpu|cpu|both FILE` writes one, to look at the page without a
measurement."""

from __future__ import annotations

import itertools
import json
import math
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def document(*runs: Json) -> Json:
    return {
        "format": "ridgeline-report",
        "version": 12,
        "generated": "2026-11-20T13:00:00Z",
        "ridgeline": "0.1.0",
        "runs": [_judged(one) for one in runs],
    }


STATES = {
    "ok": "good",
    "counted": "good",
    "unstable": "unsteady",
    "invalid_environment": "unsteady",
}
VENDORS = ("openblas", "cublaslt", "nccl", "mpi")
STATES |= {"unsupported": "left_out", "unavailable": "left_out"}  # others failed


def _judged(made: Json) -> Json:
    """With what `ridgeline` says of the cases, in a few words."""
    groups: dict[str, dict[str, list[str]]] = {}
    for one in made["cases"]:
        groups.setdefault(one["outcome"], {}).setdefault(one.get("reason", ""), []).append(
            one["name"]
        )
    troubles, wrong = [], []
    for outcome, reasons in groups.items():
        state = STATES.get(outcome, "failed")
        words = f"{sum(map(len, reasons.values()))} {outcome}"
        if state != "good":
            found = [{"reason": reason, "cases": names} for reason, names in reasons.items()]
            troubles.append({"state": state, "words": words, "groups": found})
        if state in ("failed", "unsteady"):
            wrong.append(
                {"bad": state == "failed", "words": f"{words}, of {len(made['cases'])} cases"}
            )
    if any(one["beats_roof"] for one in made["cases"]):
        wrong.append({"bad": True, "words": "above the roof: a measuring error"})
    if made["status"] != "finished":
        wrong.append({"bad": True, "words": f"the run is {made['status']}"})
    outcomes = ", ".join(
        f"{sum(map(len, reasons.values()))} {outcome}" for outcome, reasons in groups.items()
    )
    judged = {"outcomes": outcomes, "troubles": troubles, "wrong": wrong, "warnings": []}
    return judged | {"best": _best(made["cases"])} | made


def _best(cases: Iterable[Json]) -> list[Json]:
    """Of each suite a case with a rate, as if it were the fastest."""
    found: dict[str, Json] = {}
    for one in cases:
        if one["state"] == "good" and "measures_roof" not in one and "rate" in one["words"]:
            words = {
                "variant": f"{one['variant']} {one['dtype']}",
                "problem": ", ".join(f"{key}={value}" for key, value in one["problem"].items()),
            }
            words |= {key: one["words"][key] for key in ("rate", "share") if key in one["words"]}
            words |= {"roof": one["roof"]} if "roof" in one else {}
            words |= {"over_naive": "8.00×", "over_naive_on": "another problem"}
            found[one["suite"]] = {"suite": one["suite"], "case": one["name"], "words": words}
    return list(found.values())


def run(model: str, kind: str, cases: Iterable[Json], roofs: Iterable[Json] = ()) -> Json:
    return {
        "id": "20261120T124501Z-5f3a9c",
        "label": "",
        "status": "finished",
        "profile": "quick",
        "profile_text": "# synthetic\nprocesses = 3\n",
        "seed": 1,
        "started": "2026-11-20T12:45:01Z",
        "finished": "2026-11-20T12:47:40Z",
        "repeat": (
            f"ridgeline run --device {'cuda:0' if kind == 'cuda' else 'cpu'} --profile quick "
            "--seed 1"
        ),
        "device": {
            "id": "cuda:0" if kind == "cuda" else "cpu",
            "kind": kind,
            "model": model,
            "name": f"Synthetic {kind} device",
            "uuid": f"synthetic-{kind}-0001",
            "pci_id": "",
            "properties": {"units": "132" if kind == "cuda" else "2"},
            "comparable": {"memory": "141 GiB" if kind == "cuda" else "8 GiB"},
            "recorded": {"host": "synthetic-host"},
        },
        "environment": {
            "hash": "0f1e2d3c4b5a",
            "comparable": {"driver branch": "570"}
            if kind == "cuda"
            else {"governor": "performance"},
            "recorded": {"host": "synthetic-host", "load": "0.2"},
        },
        "builds": [
            {
                "worker": "ridgeline-suites",
                "commit": "0123456789abcdef0123456789abcdef01234567",
                "dirty": False,
                "compiler": "g++ 12.2.0",
                "flags": "-O3",
                "cuda": "13.0.88 sm_80 sm_90a" if kind == "cuda" else "",
                "code_hash": "feedbeefcafe",
            }
        ],
        "roofs": list(roofs),
        "wall": [{"what": "timed executions", "time": "90 s", "share": "60.0%"}],
        "cases": list(cases),
    }


def amount(value: float, unit: str) -> str:
    """ "61.8 TFLOP/s"."""
    size, prefix = next(
        ((size, prefix) for size, prefix in ((1e12, "T"), (1e9, "G")) if value >= size), (1, "")
    )
    return f"{value / size:.3g} {prefix}{unit}"


def roof(kind: str, value: float, unit: str = "B/s", source: str = "measured") -> Json:
    return {
        "kind": kind,
        "value": value,
        "unit": unit,
        "source": source,
        "text": amount(value, unit),
    }


def case(
    name: str,
    median_ns: float | None = None,
    *,
    flops: float | None = None,
    bytes: float | None = None,
    share: float | None = None,
    roof: str = "",
    outcome: str = "ok",
    reason: str = "",
    processes: int = 3,
    measures_roof: str = "",
    metrics: Iterable[tuple[str, float, str, str]] = (),
) -> Json:
    """One case; a failed one when there is no median. Rates follow from flops, bytes and the
    median."""
    suite, variant, dtype, problem = name.split("/", 3)
    made: Json = {
        "name": name,
        "suite": suite,
        "variant": variant,
        "dtype": dtype,
        "problem": dict(field.split("=", 1) for field in problem.split(",")),
        "options": {},
        "outcome": outcome,
        "state": STATES.get(outcome, "failed"),
        "processes": 0 if median_ns is None else processes,
        "beats_roof": share is not None and share > 1.05,
        "metrics": [
            dict(zip(("name", "value", "unit", "direction"), metric, strict=True))
            | {"text": f"{metric[1]:g}"}
            for metric in metrics
        ],
        "words": {},
    }
    if variant in VENDORS:
        made["vendor"] = True
    optional = {"reason": reason, "roof": roof, "measures_roof": measures_roof}
    made |= {key: text for key, text in optional.items() if text}
    made |= {
        key: number for key, number in (("flops", flops), ("bytes", bytes)) if number is not None
    }
    if median_ns is None:
        return made
    made["median_ns"] = median_ns
    words = {
        "median": f"{median_ns:.3g} ns",
        "error": "1.2e-07 / 1e-05",
        "samples": "60",
        "launch": "graph cold",
        "checked": "whole",
        "warmup": "settled",
    }
    if processes >= 3:
        width = 0.01 + 0.03 * (len(name) % 3)
        made["interval_ns"] = [median_ns * (1 - width), median_ns * (1 + width)]
        words["interval"] = f"within {width:.0%}"
    if flops:
        made["flop_rate"] = flops / median_ns * 1e9
    if bytes:
        made["byte_rate"] = bytes / median_ns * 1e9
    if share is not None:
        words["share"] = f"{share:.1%}"
    busbw = next((metric[1] for metric in metrics if metric[0] == "busbw"), None)
    memory = measures_roof.startswith("dram") or (flops or 0) < (bytes or 0)
    value, unit = (
        (busbw, "B/s")
        if busbw
        else (made.get("byte_rate"), "B/s")
        if memory
        else (made.get("flop_rate"), "FLOP/s")
    )
    if value:
        words["rate"] = amount(value, unit)
    return made | {"words": words}


def explained(made: Json, resource: str, share: float) -> Json:
    """`made`, with an invented explanation: this resource is busy for that share of its time."""
    conclusion = "bound" if share >= 0.8 else "near" if share >= 0.6 else "open"
    said = {
        "bound": f"Bound by {resource}, busy for {share:.1%} of the time.",
        "near": f"Nothing is at its limit; nearest to it is {resource}, busy for {share:.1%}.",
        "open": "Not known: nothing is known to be busy for 60% of the time.",
    }[conclusion]
    return made | {
        "explanation": {
            "conclusion": conclusion,
            "binding": [] if conclusion == "open" else ["cores"],
            "usages": [
                {
                    "resource": "cores",
                    "share": share,
                    "words": [
                        resource,
                        f"{share:.1%}",
                        "1.10 TFLOP",
                        "61.8 TFLOP/s",
                        "what the problem needs",
                        "fma.f32, measured",
                    ],
                }
            ],
            "unknown": [
                {
                    "resource": "shared_memory",
                    "why": "no counter was read",
                    "words": ["shared memory", "no counter was read"],
                }
            ]
            if conclusion == "open"
            else [],
            "ladders": [],
            "settle": [
                {"command": f"ridgeline run --counters {made['name']}", "shows": "what it counts"}
            ],
            "words": {
                "conclusion": said,
                "distance": [f"the roofs allow the problem {share:.1%} of its time"],
                "ladders": ["GEMM, f32: next is another rung, 2.00 times as fast"],
            },
        }
    }


def roofline_time(
    flops: float, moved: float, compute: float, memory: float, efficiency: float
) -> tuple[float, float]:
    """Time in ns of a case that reaches `efficiency` of the roof, small cases less, and its share
    of the roof."""
    least = max(flops / compute, moved / memory) * 1e9
    time = least / efficiency + 3000
    return time, least / time


_GEMM = {
    "gpu": {
        "f32": {"naive": 0.08, "shared_tiled": 0.22, "register_tiled": 0.71, "cublaslt": 0.86},
        "bf16": {"naive": 0.006, "wmma": 0.33, "cublaslt": 0.78},
    },
    "cpu": {
        "f32": {
            "naive": 0.01,
            "loop_reordered": 0.11,
            "cache_tiled": 0.22,
            "register_tiled": 0.74,
            "openblas": 0.9,
        }
    },
}


def _gemm(kind: str, compute: dict[str, float], memory: float) -> list[Json]:
    cases = []
    for dtype, variants in _GEMM[kind].items():
        for variant, efficiency in variants.items():
            for n in (256, 512, 1024, 2048, 4096, 8192) if kind == "gpu" else (128, 256, 512, 1024):
                flops, moved = 2.0 * n**3, 3.0 * n * n * (2 if dtype == "bf16" else 4)
                time, share = roofline_time(flops, moved, compute[dtype], memory, efficiency)
                outcome = "unstable" if variant == "shared_tiled" and n == 512 else "ok"
                name = f"gemm/{variant}/{dtype}/m={n},n={n},k={n}"
                roof_kind = ("tensor." if dtype == "bf16" else "fma.") + dtype
                made = case(
                    name,
                    time,
                    flops=flops,
                    bytes=moved,
                    share=share,
                    roof=roof_kind,
                    outcome=outcome,
                    reason="interval wider than 5%" if outcome != "ok" else "",
                )
                unit = "tensor cores" if dtype == "bf16" else "CUDA cores"
                cases.append(explained(made, unit, share))
    return cases


def _attention(kind: str, compute: float, memory: float) -> list[Json]:
    cases = []
    dtype = "bf16" if kind == "gpu" else "f32"
    for variant, efficiency in (("standard", 0.12), ("flash", 0.45)):
        for dim in (64, 128):
            for mask in ("full", "causal"):
                for seq in (
                    (128, 256, 512, 1024, 2048, 4096, 8192)
                    if kind == "gpu"
                    else (128, 256, 512, 1024)
                ):
                    heads = 16
                    name = (
                        f"attention/{variant}/{dtype}/"
                        f"batch=1,heads={heads},seq={seq},dim={dim},mask={mask}"
                    )
                    workspace = (
                        heads * seq * seq * 4.0 if variant == "standard" else heads * seq * 8.0
                    )
                    if variant == "standard" and seq == 8192:
                        why = "needs 4 GiB of workspace, 2 GiB are free"
                        cases.append(case(name, outcome="unsupported", reason=why))
                        continue
                    flops = 4.0 * heads * seq * seq * dim * (0.5 if mask == "causal" else 1)
                    moved = 4.0 * heads * seq * dim * 2 + (
                        2 * workspace if variant == "standard" else 0
                    )
                    time, share = roofline_time(flops, moved, compute, memory, efficiency)
                    cases.append(
                        case(
                            name,
                            time,
                            flops=flops,
                            bytes=moved,
                            share=share,
                            roof="dram.copy",
                            metrics=[("memory_bytes", workspace, "B", "lower")],
                        )
                    )
    return cases


def _coalescing(memory: float, elements: int) -> list[Json]:
    def access(name: str, efficiency: float, waste: float) -> Json:
        useful = 8.0 * elements
        time = useful * waste / (memory * efficiency) * 1e9 + 2000
        share = useful / memory * 1e9 / time
        moved = [
            ("moved_bytes", useful * waste, "B", "lower"),
            ("sectors_per_request", 4 * waste, "1", "none"),
        ]
        return case(
            f"coalescing/{name}", time, bytes=useful, share=share, roof="dram.copy", metrics=moved
        )

    cases = [
        access(f"strided/f32/stride={stride},elements={elements}", 0.9, min(stride, 8))
        for stride in (1, 2, 4, 8, 16, 32)
    ]
    cases += [
        access(f"offset/f32/offset={offset},elements={elements}", 0.9, 1.02) for offset in (0, 1, 8)
    ]
    cases += [
        access(f"wide/f32/width={width},elements={elements}", 0.7 + 0.015 * width, 1)
        for width in (4, 8, 16)
    ]
    cases += [
        access(f"sequential/f32/elements={elements}", 0.93, 1),
        access(f"gather/f32/elements={elements}", 0.5, 7.6),
        access(f"array_of_structs/f32/elements={elements}", 0.85, 4),
        access(f"struct_of_arrays/f32/elements={elements}", 0.92, 1),
        access("transpose_naive/f32/rows=8192,cols=8192", 0.5, 4.5),
        access("transpose_tiled/f32/rows=8192,cols=8192", 0.62, 1),
        access("transpose_padded/f32/rows=8192,cols=8192", 0.88, 1),
    ]
    return cases


def _occupancy(kind: str, compute: float, memory: float) -> list[Json]:
    cases = []
    if kind == "gpu":
        shapes = [
            (limit, warps)
            for limit in ("block", "registers", "shared")
            for warps in (4, 8, 16, 32, 64)
        ]
        shapes = [(limit, warps) for limit, warps in shapes if limit == "block" or warps <= 32]
    else:
        shapes = [("", 1), ("", 2)]
    most = max(warps for _, warps in shapes)
    for limit, warps in shapes:
        where = f"limit={limit},warps={warps}" if limit else f"threads={warps}"
        facts = [("occupancy_predicted", warps / most, "fraction", "none")]
        if limit:
            facts.append(("occupancy_ran", 0.97 * warps / most, "fraction", "none"))
        for loads in (1, 2, 4, 8):
            flight = warps * 32.0 * loads * 4 if limit else loads * 64.0
            reach = (
                1 - math.exp(-flight / 9000)
                if limit
                else 0.9 * (warps / most) * (1 - math.exp(-loads / 2))
            )
            cases.append(
                case(
                    f"occupancy/load/f32/{where},loads={loads},elements=67108864",
                    1e9 / (memory * reach) * 1e9,
                    bytes=1e9,
                    share=reach,
                    roof="dram.read",
                    metrics=[*facts, ("bytes_in_flight", flight, "B", "none")],
                )
            )
        for chains in (1, 2, 4, 8):
            reach = (
                min(1.0, warps * chains / 16) * 0.95
                if limit
                else 0.95 * warps / most * min(1, chains / 8)
            )
            cases.append(
                case(
                    f"occupancy/fma/f32/{where},chains={chains}",
                    1e12 / (compute * reach) * 1e9,
                    flops=1e12,
                    share=reach,
                    roof="fma.f32",
                    metrics=facts,
                )
            )
    return cases


_FUSION = {  # accesses per element, launches
    "gpu": {
        "separate": (14, 5),
        "fused_elementwise": (8, 2),
        "fused": (6, 1),
        "fused_vectorized": (6, 1),
    },
    "cpu": {"separate": (12, 5), "fused": (4, 1)},
}


def _fusion(kind: str, memory: float) -> list[Json]:
    cases = []
    for variant, (accesses, launches) in _FUSION[kind].items():
        for dtype, rows in itertools.product(
            ("f32", "bf16") if kind == "gpu" else ("f32",), (4096, 16384)
        ):
            cols, width = 4096, 4 if dtype == "f32" else 2
            elements = rows * cols
            least, moved = 3.0 * width * (elements + cols), 1.0 * accesses * width * elements
            time = 0.8 * moved / (memory * 0.85) * 1e9 + 2000 * launches
            metrics = [("moved_bytes", moved, "B", "lower"), ("kernels", launches, "1", "lower")]
            cases.append(
                case(
                    f"fusion/{variant}/{dtype}/rows={rows},cols={cols}",
                    time,
                    flops=19.0 * elements,
                    bytes=least,
                    share=least / memory * 1e9 / time,
                    roof="dram.copy",
                    metrics=metrics,
                )
            )
    return cases


def _divergence() -> list[Json]:
    cases = []
    for ways in (1, 2, 4, 8, 16, 32):
        for variant, paths in (("by_lane", ways), ("by_warp", 1)):
            facts = [
                ("paths_of_a_warp", paths, "1", "lower"),
                ("active_lanes", 32 / paths, "1", "higher"),
            ]
            name = f"divergence/{variant}/f32/ways={ways},elements=262144"
            cases.append(case(name, 4000.0 + 1900 * paths + 30 * ways, flops=2.7e8, metrics=facts))
    return cases


def _transfer(rates: dict[str, float]) -> list[Json]:
    cases = []
    for variant, share, latency in (("pinned", 1.0, 8000.0), ("pageable", 0.4, 9500.0)):
        for direction, rate in rates.items():
            for power in range(10, 29, 3):
                elements = 2**power
                name = f"transfer/{variant}/f32/direction={direction},elements={elements}"
                time = latency + 4 * elements / (rate * share) * 1e9
                cases.append(case(name, time, bytes=4.0 * elements))
    return cases


def peers(gpus: int = 4, slow: int = 2) -> Json:
    """Copies of one GPU to and from the others, of which the one at distance `slow` has a link of
    two thirds of the rate."""
    cases = []
    for variant, share in (("copy_engine", 0.82), ("copy_kernel", 0.76)):
        for direction, ways in (("to_peer", 1), ("from_peer", 1), ("both_ways", 2)):
            for distance in range(1, gpus):
                for elements in (1024, 1 << 28):
                    problem = f"peer={distance},direction={direction},elements={elements}"
                    name = f"peers/{variant}/f32/{problem},launch=single"
                    moved = 4.0 * ways * elements
                    rate = 4.78e11 * ways * share * (2 / 3 if distance == slow else 1)
                    cases.append(case(name, 9000 + moved / rate * 1e9, bytes=moved))
    return run("synthetic-h200", "cuda", cases)


def pairs(gpus: int = 8, slow: tuple[int, int] = (2, 5)) -> Json:
    """Copies of each GPU to and from the others, of which one pair has a link of two thirds of the
    rate, and one is not steady."""
    ids = [f"cuda:{gpu}" for gpu in range(gpus)]
    matrices = []
    for variant, share in (("copy_engine", 0.82), ("copy_kernel", 0.76)):
        for direction, ways in (("both_ways", 2), ("from_peer", 1), ("to_peer", 1)):
            found = [
                {
                    "gpu": gpu,
                    "peer": peer,
                    "rate": 4.78e11
                    * ways
                    * (share + 0.001 * a - 0.0007 * b)
                    * (2 / 3 if (a, b) == slow else 1),
                    "roof": 4.78e11 * ways,
                    "ratio": 1.5 if (a, b) == slow else 1.0,
                    "unstable": (a, b) == (0, 1),
                    "slower": (a, b) == slow,
                }
                for a, gpu in enumerate(ids)
                for b, peer in enumerate(ids)
                if a != b
            ]
            made = {"variant": variant, "direction": direction, "bytes": 2.0**30, "pairs": found}
            matrices.append(made)
    runs = [f"20261120T12450{gpu}Z-5f3a9c" for gpu in range(gpus)]
    return peers(gpus) | {
        "pairs": {"host": "synthetic-host", "gpus": ids, "runs": runs, "matrices": matrices}
    }


def beside() -> Json:
    """An all_reduce beside products: of three buckets by two variants, one that hides much and one
    that takes longer than one after the other. One has two processes alone, one an unsteady
    time."""
    cases, found = [], []
    for variant, hidden in (("nccl", (0.13, 0.63, 0.7)), ("rung_by_size", (0.16, -0.08, 0.2))):
        for bucket, share in zip((25 << 20, 64 << 20, 128 << 20), hidden, strict=True):
            alone = 4.0e-3 * bucket
            both = alone * (2 - share)
            problem = f"op=all_reduce,ranks=2,bytes={bucket},m=4096,n=4096,k=4096,products=2"
            times = {"work_alone": alone, "collective_alone": alone, "work": both * 0.9}
            times |= {"collective": both, "both": both}
            outcome = "unstable" if variant == "nccl" and share == 0.7 else "ok"
            made = {"variant": variant, "dtype": "f32", "bytes": bucket}
            made["fields"] = dict(field.split("=") for field in problem.split(","))
            for timed, ns in times.items():
                name = f"beside/{variant}/f32/{problem},timed={timed}"
                cases.append(case(name, ns, outcome=outcome))
                made[timed] = {"outcome": outcome, "ns": ns}
            for name, value in (
                ("work_slow_down", both * 0.9 / alone),
                ("collective_slow_down", both / alone),
                ("hidden_share", share),
            ):
                made[name] = {"value": value}
                if share != 0.2:
                    made[name]["interval"] = {"low": value - 0.03, "high": value + 0.04}
            found.append(made)
    return run("synthetic-h200", "cuda", cases) | {"beside": found}


def told() -> Json:
    """Collectives by a library's own choice, and by three things that it was told: one is as good
    for small messages, one for large ones, and one, at 1 MiB, better. Of 4 MiB there is no own
    choice."""
    cases = []
    for op in ("all_reduce", "broadcast"):
        for power in (10, 20, 22, 28):
            time = 6e3 + 2.0**power / 3e11 * 1e9
            problem = f"op={op},ranks=2,bytes={2**power},mode=pipelined,calls=16"
            name = f"collectives/nccl/f32/{problem}"
            rate = [("busbw", 2.0**power / time * 1e9, "B/s", "higher")]
            if power != 22:
                cases.append(case(name, time, metrics=rate))
            for protocol, factor in (
                ("ll", 1.0 if power < 22 else 2.4),
                ("ll128", 0.9 if power == 20 else 1.3),
                ("simple", 2.2 if power < 22 else 1.0),
            ):
                made = case(name, time * factor, metrics=rate)
                made["name"] += f",algorithm=ring,protocol={protocol}"
                made["options"] = {"algorithm": "ring", "protocol": protocol}
                cases.append(made)
    return run("synthetic-h200", "cuda", cases)


def _collectives(
    variant: str, ranks: Iterable[int], latency: float, bandwidth: float
) -> list[Json]:
    cases = []
    for count in ranks:
        for op, factor in (("all_reduce", 2.0), ("all_gather", 1.0), ("broadcast", 1.0)):
            for power in range(10, 31, 2):
                moved = 2.0**power
                travel = (
                    factor * (count - 1) / count if factor != 1 or op == "all_gather" else 1.0
                ) * moved
                time = latency * (1 + 0.2 * count) + travel / bandwidth * 1e9
                carried = {"algbw": moved, "busbw": travel}
                rates = [
                    (metric, total / time * 1e9, "B/s", "higher")
                    for metric, total in carried.items()
                ]
                size = f"ranks={count},bytes={2**power},mode=pipelined,calls=16"
                name = f"collectives/{variant}/f32/op={op},{size}"
                made = case(name, time, metrics=rates)
                cases.append(made)
    return cases


def _roof_cases(roofs: list[Json]) -> list[Json]:
    cases = []
    for one in roofs:
        if one["source"] != "measured":
            continue
        group, what = one["kind"].split(".")
        if one["unit"] == "FLOP/s":
            cases.append(
                case(
                    f"roofs/{group}/{what}/work=1000000000000",
                    1e12 / one["value"] * 1e9,
                    flops=1e12,
                    bytes=4e6,
                    measures_roof=one["kind"],
                )
            )
        elif one["unit"] == "B/s":
            cases.append(
                case(
                    f"roofs/{what}/f32/level={group}",
                    1e9 / one["value"] * 1e9,
                    bytes=1e9,
                    measures_roof=one["kind"],
                )
            )
        else:
            cases.append(
                case(f"roofs/latency/u8/level={what}", one["value"], measures_roof=one["kind"])
            )
    return cases


def gpu() -> Json:
    """Shaped like a large data-centre GPU, with every suite and one unstable case."""
    sheet = "synthetic datasheet"
    roofs = [roof("dram.read", 4.22e12), roof("dram.copy", 4.05e12), roof("dram.triad", 4.09e12)]
    roofs += [roof("llc.read", 7.1e12), roof("llc.copy", 5.9e12), roof("llc.read_by_all", 1.2e13)]
    roofs += [roof("l1.read", 2.9e13), roof("shared.read", 3.1e13)]
    for kind, value, nominal in (
        ("fma.f64", 32.1e12, 33.5e12),
        ("fma.f32", 61.8e12, 66.9e12),
        ("tensor.tf32", 388e12, 494.7e12),
        ("tensor.f16", 690e12, 989.4e12),
        ("tensor.bf16", 702e12, 989.4e12),
        ("tensor.fp8", None, 1978.9e12),
    ):
        roofs += [roof(kind, value, "FLOP/s")] if value else []
        roofs.append(roof(kind, nominal, "FLOP/s", sheet))
    roofs.append(roof("dram", 4.814e12, "B/s", sheet))
    link = {"to_device": 5.52e10, "to_host": 5.31e10}
    roofs += [roof(f"link.{direction}", rate) for direction, rate in link.items()]
    roofs.append(roof("link", 6.3e10, "B/s", "PCI Express 5 x16"))
    roofs += [
        roof("latency.l1", 21.0, "ns"),
        roof("latency.l2", 148.0, "ns"),
        roof("latency.dram", 428.0, "ns"),
    ]
    cases = _attention("gpu", 702e12, 4.22e12) + _coalescing(4.22e12, 1 << 26)
    cases += _collectives("nccl", (2, 8), 9000, 3.6e11) + _gemm(
        "gpu", {"f32": 61.8e12, "bf16": 702e12}, 4.22e12
    )
    cases += (
        _occupancy("gpu", 61.8e12, 4.22e12)
        + _fusion("gpu", 4.22e12)
        + _divergence()
        + _transfer(link)
        + _roof_cases(roofs)
    )
    return run("synthetic-h200", "cuda", cases, roofs)


def cpu() -> Json:
    """Shaped like two cores of a server CPU: no datasheet, no tensor cores, two processes and so no
    intervals."""
    roofs = [roof("dram.read", 2.31e10), roof("dram.copy", 1.82e10), roof("dram.triad", 1.9e10)]
    roofs += [
        roof("llc.read", 6.4e10),
        roof("llc.copy", 4.4e10),
        roof("l1.read", 4.1e11),
        roof("l1.copy", 2.9e11),
    ]
    roofs += [roof("fma.f64", 9.1e10, "FLOP/s"), roof("fma.f32", 1.83e11, "FLOP/s")]
    roofs += [
        roof("latency.l1", 1.6, "ns"),
        roof("latency.l2", 5.1, "ns"),
        roof("latency.llc", 24.0, "ns"),
    ]
    roofs.append(roof("latency.dram", 108.0, "ns"))
    cases = _attention("cpu", 1.83e11, 2.31e10) + _coalescing(2.31e10, 1 << 22)
    cases += _collectives("mpi", (2,), 1500, 6e9) + _gemm("cpu", {"f32": 1.83e11}, 2.31e10)
    cases += _occupancy("cpu", 1.83e11, 2.31e10) + _fusion("cpu", 2.31e10) + _roof_cases(roofs)
    for made in cases:
        made.pop("interval_ns", None)
    made = run("synthetic-cpu-2c", "cpu", cases, roofs)
    made["builds"][0]["dirty"] = True
    return made


def main(arguments: list[str]) -> int:
    documents = {
        "gpu": lambda: document(gpu()),
        "cpu": lambda: document(cpu()),
        "both": lambda: document(gpu(), cpu()),
    }
    if len(arguments) != 2 or arguments[0] not in documents:
        print("usage: python -m reports.synthetic gpu|cpu|both FILE", file=sys.stderr)
        return 64
    Path(arguments[1]).write_text(json.dumps(documents[arguments[0]](), indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
