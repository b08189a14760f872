"""Invented comparisons for tests, never measured: every cause, hollow sides, sides that failed,
other work, roofs of both sides or of datasheets alone, and counts.

`python -m reports.synthetic_comparison NUMBER FILE` writes a report of one with that many cases.
"""

from __future__ import annotations

import json
import math
import random
import sys
from collections.abc import Iterable
from pathlib import Path

from reports import synthetic
from reports.synthetic import Json

DIFFERENCES = (
    "build: 0123456789ab -> ba9876543210; every ratio compares the code, too",
    "profile: quick -> nightly",
    "inputs: other random numbers, of the seeds 1 -> 2",
)
_MARGIN = 1.05  # what roofs are trusted to
_ROOFS = (  # kind, unit, A, B, and what the datasheets say of both
    ("dram.read", "B/s", 1.9e12, 4.22e12, 2.04e12, 4.81e12),
    ("fma.f32", "FLOP/s", 18.9e12, 61.8e12, 19.5e12, 66.9e12),
    ("tensor.bf16", "FLOP/s", 280e12, 702e12, 312e12, 989e12),
)
_SUITES = (  # suite, variant, dtype, FLOP and B of one n, share of A's roof and of B's
    (
        "attention",
        "flash_mma",
        "bf16",
        lambda n: 64.0 * n * n * 64,
        lambda n: 8192.0 * n,
        0.42,
        0.27,
    ),
    ("coalescing", "offset", "f32", lambda n: 0.0, lambda n: 8.0 * n * n, 0.81, 0.8),
    ("gemm", "naive", "f32", lambda n: 2.0 * n**3, lambda n: 12.0 * n * n, 0.05, 0.09),
    ("gemm", "register_tiled", "f32", lambda n: 2.0 * n**3, lambda n: 12.0 * n * n, 0.62, 0.6),
    ("gemm", "wmma", "bf16", lambda n: 2.0 * n**3, lambda n: 6.0 * n * n, 0.31, 0.21),
    ("reduction", "tree", "f32", lambda n: 1.0 * n * n, lambda n: 4.0 * n * n, 0.88, 0.86),
)


def comparison(
    cases: int, *, roofs: str = "measured", differences: Iterable[str] = (), seed: int = 1
) -> Json:
    """Two devices, the second the larger one; `roofs` is "measured", "datasheet", or "none"."""
    draw = random.Random(seed)
    made = []
    for index in range(cases):
        suite, variant, dtype, flops, moved, of_a, of_b = _SUITES[index % len(_SUITES)]
        n = 256 + 64 * (index // len(_SUITES))
        shares = [share * math.exp(draw.gauss(0, 0.04)) for share in (of_a, of_b)]
        name = f"{suite}/{variant}/{dtype}/n={n}"
        made.append(case(name, flops(n), moved(n), *shares, roofs=roofs, **_oddity(index)))
    return times(made, roofs=roofs, differences=differences)


def _oddity(index: int) -> Json:
    """What is rare, at some places of a long list."""
    return {
        7: {"disturbed": True},
        11: {"outcome": "unstable"},
        13: {"processes": 2},
        16: {"interval": 0.6},
        19: {"work": 2.0},
    }.get(index % 40, {})


def times(
    cases: Iterable[Json],
    *,
    roofs: str = "measured",
    differences: Iterable[str] = (),
    one_sided: Iterable[Json] = (),
) -> Json:
    """A comparison of these cases; means of suites follow from them."""
    made = [worded(one) for one in cases]
    return {
        "gives": "times",
        "a": run("synthetic-small-gpu", "20261118T090000Z-aaaaaa"),
        "b": run("synthetic-large-gpu", "20261119T090000Z-bbbbbb"),
        "conclusions": [
            f"{sum('ratio' in one for one in made)} cases compared",
            "nothing is explained",
        ],
        "differences": list(differences),
        "roofs": [worded(one) for one in _roofs(roofs)],
        "cases": made,
        "suites": [worded(one) for one in suites(made)],
        "one_sided": list(one_sided),
    }


def worded(made: Json) -> Json:
    """With the cells of its row, as texts that are made more simply than those of `ridgeline`."""

    def text(ratio: float) -> str:
        return f"{ratio:.2f}" if ratio > 0.9995 else f"{ratio:.3f}"

    found = {
        "ratio": "mean" if "lowest" in made else "ratio",
        "roofs_ratio": "roofs_alone",
        "work": "work",
    }
    words = {key: text(made[name]) for name, key in found.items() if name in made}
    words |= {name: text(made[name]) for name in ("rest", "lowest", "highest") if name in made}
    if "ratio_low" in made:
        words["interval"] = f"{text(made['ratio_low'])} to {text(made['ratio_high'])}"
    for side in ("a", "b"):
        value = made.get(side, {})
        if isinstance(value, float):
            words[side] = (
                synthetic.amount(value, made["unit"]) if "roof" in made else f"{value:.17g}"
            )
        elif "median_ns" in value:
            words[side] = f"{value['median_ns']:.3g} ns" + (" ?" if value.get("unsteady") else "")
    if "cause" in made:
        words["the_rest_is"] = ": ".join(filter(None, (made["cause"], made.get("because"))))
    return made | {"words": words}


def run(model: str, identity: str) -> Json:
    made = {
        "id": identity,
        "model": model,
        "device_name": f"Device {model}",
        "started": "2026-11-18T09:00:00Z",
    }
    return made | {"status": "finished", "profile": "quick", "label": ""}


def _roofs(which: str) -> list[Json]:
    found = []
    for kind, unit, *values in _ROOFS:
        if which == "measured":
            found.append(
                {"roof": kind, "source": "measured", "unit": unit, "a": values[0], "b": values[1]}
            )
        if which != "none":
            of = "dram" if kind == "dram.read" else kind
            found.append(
                {"roof": of, "source": "datasheet", "unit": unit, "a": values[2], "b": values[3]}
            )
    return sorted(found, key=lambda roof: roof["source"] != "measured")


def case(
    name: str,
    flops: float,
    moved: float,
    share_a: float,
    share_b: float,
    *,
    roofs: str = "measured",
    processes: int = 3,
    interval: float = 0.01,
    outcome: str = "ok",
    disturbed: bool = False,
    work: float = 1.0,
) -> Json:
    """One case whose sides reach these shares of their own roofs; `interval` is how far, in logs,
    the ratio's reaches; `outcome`, `disturbed` and `work` are of B."""
    suite, variant, dtype, _ = name.split("/", 3)
    least = [_least_ns(dtype, flops * more, moved * more, at) for at, more in ((0, 1.0), (1, work))]
    sides = [
        _side(ns / share, amount * flops, amount * moved, processes)
        for (ns, _), share, amount in zip(least, (share_a, share_b), (1.0, work), strict=True)
    ]
    ratio = sides[1]["median_ns"] / sides[0]["median_ns"] / work
    made: Json = {
        "case": name,
        "suite": suite,
        "variant": variant,
        "dtype": dtype,
        "measures_roof": False,
    }
    made |= {"a": sides[0], "b": sides[1], "ratio": ratio}
    if disturbed or outcome == "unstable":
        sides[1] |= {"outcome": "invalid_environment" if disturbed else outcome, "unsteady": True}
    if disturbed:
        sides[1]["disturbed"] = True
    if work != 1:
        made["work"] = work
    if processes >= 3:
        made |= {"ratio_low": ratio * math.exp(-interval), "ratio_high": ratio * math.exp(interval)}
    if roofs != "none":
        predicted = least[1][0] / least[0][0] / work
        for side, share, (_, roof) in zip(sides, (share_a, share_b), least, strict=True):
            side |= {"share_of_roof": share, "roof": roof}
        made |= {"roofs_ratio": predicted, "roofs": roofs, "rest": ratio / predicted}
        cause, because = _cause(made, disturbed)
        made |= {"cause": cause} | ({"because": because} if because else {})
    return made


def _least_ns(dtype: str, flops: float, moved: float, side: int) -> tuple[float, str]:
    values = {kind: some[side] for kind, _, *some in _ROOFS}
    unit = "tensor" if dtype == "bf16" else "fma"
    compute, memory = flops / values[f"{unit}.{dtype}"], moved / values["dram.read"]
    return 1e9 * max(compute, memory), f"{unit}.{dtype}" if compute > memory else "dram.read"


def _side(median_ns: float, flops: float, moved: float, processes: int) -> Json:
    made = {"outcome": "ok", "processes": processes, "median_ns": median_ns, "sm_clock_mhz": 1755.0}
    return made | {key: value for key, value in (("flops", flops), ("bytes", moved)) if value}


def _cause(made: Json, disturbed: bool) -> tuple[str, str]:
    if disturbed:
        return "environment", "B was disturbed: hw_thermal_slowdown"
    if max(made["a"]["share_of_roof"], made["b"]["share_of_roof"]) > _MARGIN:
        return "unknown", "B is faster than its roof allows, a measuring error"
    if abs(math.log(made["rest"])) <= math.log(_MARGIN):
        equal = made.get("ratio_low", 2) <= 1 <= made.get("ratio_high", 0)
        return "none" if equal else "hardware", ""
    if "ratio_low" not in made:
        return "unknown", "fewer than 3 processes per side"
    if made["ratio_low"] <= made["roofs_ratio"] <= made["ratio_high"]:
        return "unknown", "within the noise"
    return "distance", f"{'B' if made['rest'] > 1 else 'A'} is farther from its roof"


def suites(cases: Iterable[Json]) -> list[Json]:
    """Geometric means as `ridgeline compare` makes them: without cases that measure a roof or were
    disturbed."""
    groups: dict[str, list[Json]] = {}
    for one in cases:
        if "ratio" in one and not one["measures_roof"]:
            groups.setdefault(one["suite"], []).append(one)
    found = []
    for suite, some in sorted(groups.items()):
        steady = [
            one for one in some if not (one["a"].get("disturbed") or one["b"].get("disturbed"))
        ]
        ratios = [one["ratio"] for one in steady]
        if not ratios:
            continue
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        made = {
            "suite": suite,
            "cases": len(steady),
            "ratio": mean,
            "a_processes": 3,
            "b_processes": 3,
        }
        if all("ratio_low" in one for one in steady):
            made |= {"ratio_low": mean * 0.99, "ratio_high": mean * 1.01}
        made |= {
            "lowest": min(ratios),
            "highest": max(ratios),
            "disturbed": len(some) - len(steady),
        }
        predicted = [math.log(one["roofs_ratio"]) for one in steady if "roofs_ratio" in one]
        if predicted:
            made |= {
                "roofs_ratio": math.exp(sum(predicted) / len(predicted)),
                "roofs_cases": len(predicted),
            }
        found.append(made)
    return found


def measuring(kind: str, a_ns: float, b_ns: float) -> Json:
    """A case that measures a roof: it has a ratio and no cause."""
    suite, variant, dtype = "roofs", *kind.split(".")
    sides = [
        {"outcome": "ok", "processes": 3, "median_ns": ns, "flops": 1e9, "bytes": 1e3}
        for ns in (a_ns, b_ns)
    ]
    made = {
        "case": f"{suite}/{variant}/{dtype}",
        "suite": suite,
        "variant": variant,
        "dtype": dtype,
    }
    return made | {"measures_roof": True, "a": sides[0], "b": sides[1], "ratio": b_ns / a_ns}


def failed(name: str, why: str = "B: crashed: killed by signal 11") -> Json:
    """A case without a ratio, because B failed."""
    return differently(name, why) | {
        "b": {"outcome": "crashed", "processes": 0, "reason": "killed by signal 11"}
    }


def differently(name: str, why: str = "measured differently: graph cold -> loop hot") -> Json:
    """A case without a ratio, although both sides have times."""
    made = case(name, 1e9, 1e6, 0.5, 0.5, roofs="none")
    return {key: value for key, value in made.items() if not key.startswith("ratio")} | {
        "not_compared": why
    }


def odd() -> Json:
    """What is rare, each once: ratios from a fifth to five, a time above its roof, other code, long
    names, cases of one side, cases that measure a roof, and sides that failed."""
    long = (
        "attention/flash_mma/bf16/"
        "batch=1,heads=16,seq=1024,dim=64,mask=causal,layout=packed,window=256,part="
    )
    cases = [
        measuring("fma.f32", 1e6, 3.1e5),
        measuring("dram.read", 1e6, 4.5e5),
        case(f"{long}1", 4e9, 8e6, 0.8, 0.31),
        case(f"{long}2", 4e9, 8e6, 0.06, 0.6),
        case(f"{long}3", 4e9, 8e6, 0.09, 0.9, disturbed=True),
        case(f"{long}4", 4e9, 8e6, 0.4, 1.3),
        case(f"{long}5", 4e9, 8e6, 0.5, 0.25, processes=2),
        case(f"{long}6", 4e9, 8e6, 0.5, 0.4, interval=0.5, outcome="unstable"),
        case(
            "collectives/mpi/f32/op=broadcast,ranks=2,bytes=1048576",
            0,
            1e6,
            0.5,
            0.25,
            roofs="none",
        ),
        case("coalescing/offset/f32/n=256", 0, 1e6, 0.5, 0.5, interval=1.5),
        case("gemm/naive/f32/n=512", 2.7e8, 3e6, 0.9, 0.06),
        case("gemm/naive/f32/elements=66%", 2.7e8, 3e6, 0.5, 0.51, work=1.5),
        failed("gemm/naive/f32/n=2048"),
        failed("gemm/naive/f32/n=4096"),
        differently("gemm/wmma/bf16/n=2048"),
    ]
    one_sided = [
        {"case": "gemm/cublaslt/fp8/n=512", "in": "b"},
        {
            "case": "gemm/naive/f32/n=512 cache=hot",
            "in": "a",
            "why": "the other side has gemm/naive/f32/n=512",
        },
    ]
    made = times(cases, differences=DIFFERENCES, one_sided=one_sided)
    made["b"] |= {"label": "tuned", "profile": "nightly"}
    return made


def counts(cases: int) -> Json:
    """Two emulated devices: each third case differs, and what can be odd about counts is there once
    there are six."""
    made: list[Json] = []
    for index in range(cases):
        one: Json = {
            "case": f"coalescing/strided/f32/stride={index + 1}",
            "equal_counts": 21,
            "changed": [],
        }
        if index % 3 == 0:
            one["changed"].append(_metric("sectors", "1", 1048576.0, 1048577.0 + index))
        made.append(one)
    if cases >= 6:
        made[3]["changed"] += [
            _metric("atomics", "1", 0.0, 12.0),
            worded({"metric": "bulk_bytes", "unit": "B", "b": 4096.0}),
        ]
        made[4] |= {"other_inputs": True}
        made[5] = {"case": made[5]["case"], "not_compared": "A: unsupported: needs sm_90"}
    return {
        "gives": "counts",
        "a": run("synthetic-emulated-sm_80", "20261118T090000Z-aaaaaa"),
        "b": run("synthetic-emulated-sm_90", "20261119T090000Z-bbbbbb"),
        "conclusions": [f"{sum('not_compared' not in one for one in made)} cases compared"],
        "differences": [],
        "counted": made,
        "one_sided": [{"case": "gemm/wgmma/bf16/n=512", "in": "b"}],
    }


def _metric(name: str, unit: str, a: float, b: float) -> Json:
    return worded({"metric": name, "unit": unit, "a": a, "b": b} | ({"ratio": b / a} if a else {}))


if __name__ == "__main__":
    number, file = sys.argv[1:]
    made = synthetic.document() | {"comparisons": [comparison(int(number))]}
    Path(file).write_text(json.dumps(made), encoding="utf-8")
