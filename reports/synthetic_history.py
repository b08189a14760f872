"""Invented histories of cases for tests and for trying how quick a report is, never measured:
changes of the machine, failures, unsteady runs, and samples of two modes.

`python -m reports.synthetic_history FILE --cases 250 --runs 100` writes a document of them."""

from __future__ import annotations

import argparse
import datetime
import json
import math
import random
import sys
from pathlib import Path

from reports import synthetic
from reports.model_history import BINS
from reports.stretches import stretches_of
from reports.synthetic import Json

COMMITS = "https://synthetic.invalid/laboratory/commit/"
LAST = datetime.datetime(2026, 11, 20, 12, 45, 1)
SUITES = ("gemm", "attention", "fusion", "coalescing", "transfer", "gather", "scan", "sort")
VARIANTS = ("naive", "shared_tiled", "register_tiled", "tensor_mma", "vectorized")
SAMPLED = 10  # runs of a case that have samples


def names(count: int) -> list[str]:
    made = []
    for at in range(count):
        suite, variant = SUITES[at % len(SUITES)], VARIANTS[at // len(SUITES) % len(VARIANTS)]
        dtype = ("f32", "bf16")[at // (len(SUITES) * len(VARIANTS)) % 2]
        size = 64 * (1 + at // (len(SUITES) * len(VARIANTS) * 2))
        made.append(f"{suite}/{variant}/{dtype}/m={size},n={size},k={size},layout=row_major")
    return made


def history(of: Json, cases: list[str], runs: int, *, seed: int = 1) -> Json:
    """Of the device of the run `of`, which is the last one and has all cases."""
    draw = random.Random(seed)
    started = [LAST - datetime.timedelta(days=back) for back in reversed(range(runs))]
    past = [_run(at, when, runs) for at, when in enumerate(started)]
    past[-1] |= {"id": of["id"], "started": of["started"], "label": of["label"]}
    return {
        "device": of["device"],
        "environments": [
            {"hash": "aaaa0000", "comparable": {"driver branch": "570"}, "changed": ""},
            {
                "hash": "bbbb1111",
                "comparable": {"driver branch": "580"},
                "changed": "driver branch: 570 -> 580",
            },
        ][: max(one["environment"] for one in past) + 1],
        "runs": past,
        "cases": [_case(name, past, draw) for name in cases],
    }


def _run(at: int, when: datetime.datetime, runs: int) -> Json:
    made: Json = {
        "id": f"{when:%Y%m%dT%H%M%SZ}-{at:06x}",
        "started": f"{when:%Y-%m-%dT%H:%M:%SZ}",
        "commit": f"{at // 3 + 1:07x}" + "0" * 33,
        "dirty": at % 29 == 11,
        "linked": True,
        "label": "nightly" if at % 7 == 3 else "",
        "profile": "nightly",
        "environment": int(runs > 3 and at >= runs * 2 // 3),
        "status": "finished",
    }
    return made


def _case(name: str, runs: list[Json], draw: random.Random) -> Json:
    suite, variant, dtype, problem = name.split("/")
    base = 10 ** draw.uniform(3, 7)
    noise = 10 ** draw.uniform(-3, -1.5)
    step_at = draw.randrange(len(runs)) if draw.random() < 0.1 else len(runs)
    step = draw.choice((0.9, 1.06, 1.2))
    places, without = [], []
    for at in range(len(runs)):
        if at < len(runs) - 1 and draw.random() < 0.01:
            without.append({"run": at, "outcome": "crashed", "reason": "killed by signal 11"})
        else:
            places.append(at)
    medians = [
        base
        * (step if at >= step_at else 1)
        * (0.97 if runs[at]["environment"] else 1)
        * math.exp(draw.gauss(0, noise))
        for at in places
    ]
    return {
        "name": name,
        "suite": suite,
        "variant": variant,
        "dtype": dtype,
        "problem": dict(field.split("=") for field in problem.split(",")),
        "options": {},
        "runs": stretches_of(places),
        "median_ns": [_rounded(one) for one in medians],
        "below_ns": [float(f"{one * noise:.3g}") for one in medians],
        "above_ns": [float(f"{one * noise:.3g}") for one in medians],
        "without_interval": [],
        "without": without[-20:],
        "unsteady": [at for at in places if draw.random() < 0.02],
        "repeat": f"ridgeline run --device cuda:0 --profile nightly '{name}'",
        "samples": _samples(places[-SAMPLED:], medians[-SAMPLED:], noise, draw),
        "latest": {"run": len(runs) - 1},
    }


def _samples(places: list[int], medians: list[float], noise: float, draw: random.Random) -> Json:
    """The third of the last runs has a second mode, 8% slower."""
    low, high = min(medians) * (1 - 4 * noise), max(medians) * (1.12 + 4 * noise)
    width = math.log(high / low) / BINS
    made = []
    for at, (place, median) in enumerate(zip(places, medians, strict=True)):
        modes = ((median, 400), (median * 1.08, 200 if at == len(places) - 3 else 6))
        counts = [0] * BINS
        for centre, count in modes:
            middle = math.log(centre / low) / width
            spread = max(0.8, noise / width)
            for one in range(BINS):
                share = math.exp(-(((one + 0.5 - middle) / spread) ** 2) / 2)
                counts[one] += int(count * share / spread * (0.35 + 0.1 * draw.random()))
        filled = [at for at, count in enumerate(counts) if count]
        made.append(
            {
                "run": place,
                "count": sum(counts) + 3,
                "below": 1,
                "above": 2,
                "first": filled[0],
                "counts": counts[filled[0] : filled[-1] + 1],
                "p10_ns": _rounded(median * (1 - noise)),
                "p50_ns": _rounded(median),
                "p90_ns": _rounded(median * (1 + 2 * noise)),
            }
        )
    return {"low_ns": _rounded(low), "high_ns": _rounded(high), "runs": made}


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")


def run(cases: list[str], medians: list[float]) -> Json:
    """The run that all cases have last, with what bounds each."""
    roofs = [
        synthetic.roof("dram.copy", 4e12),
        synthetic.roof("fma.f32", 6e13, "FLOP/s"),
        synthetic.roof("tensor.bf16", 7e14, "FLOP/s"),
    ]
    made = []
    for at, (name, median) in enumerate(zip(cases, medians, strict=True)):
        share = 0.05 + 0.9 * ((at * 7919) % 101) / 101
        flops = median * 1e-9 * share * 6e13
        one = synthetic.case(
            name,
            median,
            flops=flops,
            bytes=flops / (1 + at % 64),
            share=share,
            roof="fma.f32",
            outcome="unstable" if at % 41 == 40 else "ok",
            reason="interval wider than 5%" if at % 41 == 40 else "",
        )
        made.append(synthetic.explained(one, "cores", share))
    return synthetic.run("synthetic-h200", "cuda", made, roofs)


def document(cases: int, runs: int, *, seed: int = 1) -> Json:
    named = names(cases)
    past = history(synthetic.run("synthetic-h200", "cuda", []), named, runs, seed=seed)
    last = run(named, [one["median_ns"][-1] for one in past["cases"]])
    return synthetic.document(last) | {"histories": [past], "commits": COMMITS}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, prog="reports.synthetic_history")
    parser.add_argument("file", type=Path)
    parser.add_argument("--cases", type=int, default=250)
    parser.add_argument("--runs", type=int, default=100)
    options = parser.parse_args(arguments)
    made = document(options.cases, options.runs)
    options.file.write_text(json.dumps(made), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
