"""Invented hardware counters and ladders for runs of reports/synthetic, for tests; never
measured."""

from __future__ import annotations

from collections.abc import Sequence

from reports import synthetic
from reports.synthetic import Json

OF_LEAST = {"dram": 1.5, "l2": 8.0, "shared": 20.0}
"""Bytes at each level over the least that the problem must move."""


def with_counters(made: Json) -> Json:
    for case in made["cases"]:
        if case.get("median_ns") and case.get("flops") and case.get("bytes"):
            count(case, **{level: of * case["bytes"] for level, of in OF_LEAST.items()})
    return made


def count(case: Json, *, dram: float, l2: float, shared: float) -> None:
    """Bytes of each level, as the counters say them."""
    counters = (
        ("hardware_dram_read_bytes", dram * 0.75, "B"),
        ("hardware_dram_written_bytes", dram * 0.25, "B"),
        ("hardware_l2_bytes", l2, "B"),
        ("hardware_shared_wavefronts", shared / 128, "wavefronts"),
    )
    case["metrics"] += [
        {"name": name, "value": value, "unit": unit, "direction": "none", "text": f"{value:g}"}
        for name, value, unit in counters
    ]


def emulated_usage(resource: str, amount: float, unit: str) -> Json:
    """As an explanation has a resource that the emulated device counted."""
    words = [resource, "10.0%", f"{amount:g} {unit}", "a rate", "emulated counts", "a roof"]
    about = {"resource": resource, "amount": amount, "unit": unit, "amount_by": "counts"}
    return about | {"words": words}


def with_ladder(made: Json, title: str, rungs: Sequence[str], reference: str = "") -> Json:
    """Each of these cases that has a time says which is next."""
    cases = {case["name"]: case for case in made["cases"]}
    for at, name in enumerate(rungs):
        case = cases.get(name)
        if not case or "median_ns" not in case:
            continue
        if "explanation" not in case:
            case |= synthetic.explained(case, "CUDA cores", 0.5)
        after = {"next": rungs[at + 1]} if at + 1 < len(rungs) else {"reference": reference}
        found = {"ladder": title} | {key: value for key, value in after.items() if value}
        case["explanation"]["ladders"].append(found)
    return made


def gpu() -> Json:
    """The invented GPU with counters, and ladders of products in both types."""
    made = with_counters(synthetic.gpu())
    for dtype, variants in (
        ("f32", ("naive", "shared_tiled", "register_tiled")),
        ("bf16", ("naive", "wmma")),
    ):
        for n in (2048, 4096):
            rungs = [f"gemm/{variant}/{dtype}/m={n},n={n},k={n}" for variant in variants]
            reference = f"gemm/cublaslt/{dtype}/m={n},n={n},k={n}"
            with_ladder(made, f"GEMM, {dtype}, {n}", rungs, reference)
    return made


def many(variants: int, name: str = "variant") -> Json:
    """One case of each of so many variants, with counters."""
    made = [
        synthetic.case(
            f"suite_{at % 5}/{name}_{at:03d}/f32/n={at}",
            1e6 * (1 + at % 17),
            flops=2e9 * (1 + at % 7),
            bytes=1e6 * (1 + at % 11) ** 2,
        )
        for at in range(variants)
    ]
    return with_counters(synthetic.run("synthetic-many", "cuda", made, synthetic.gpu()["roofs"]))
