"""Invented gates for tests, never measured: every verdict, bimodal processes, dropped pairs, unbounded intervals."""

from __future__ import annotations

import json
import math
import random
import sys
from pathlib import Path

from reports import synthetic
from reports.synthetic import Json

_KINDS = (
    # verdict, true log ratio, pairs, reason
    ("regression", 0.08, 18, ""),
    ("undecided", 0.025, 60, ""),
    ("improvement", -0.09, 12, ""),
    ("pass", 0.004, 8, ""),
    ("wrong_result", None, 3, "candidate: wrong_result: element 17 is nan"),
    ("crashed", None, 7, "candidate: crashed: killed by signal 11 (Segmentation fault)"),
    ("missing", None, 0, "the candidate's run does not have it"),
    ("new", None, 0, "the baseline's run does not have it"),
    ("skipped", None, 0, "unsupported: needs tensor cores"),
)


def gate(cases: int, *, mode: str = "refs", delta: float = 0.03, seed: int = 1) -> Json:
    """A gate of that many cases; most of many pass, and each other verdict is there once there are 12."""
    verdicts = []
    for index in range(cases):
        kind = _KINDS[index % len(_KINDS)] if index < len(_KINDS) else _KINDS[3]
        if index % 17 == 16:
            kind = _KINDS[1]
        name = f"gemm/shared_tiled/f32/m={64 + index},n={64 + index},k={64 + index}"
        verdicts.append(verdict(name, *kind, delta=delta, seed=seed * 1000 + index, rounds=mode != "runs"))
    return {
        "id": "20261120T130000Z-9a7e00",
        "mode": mode,
        "status": "finished",
        "baseline": "main",
        "candidate": "HEAD",
        "baseline_run": "20261120T130000Z-aaaaaa",
        "candidate_run": "20261120T130000Z-bbbbbb",
        "command_line": "ridgeline gate --baseline-ref main --candidate-ref HEAD gemm",
        "seed": seed,
        "alpha": 0.01,
        "cases": cases,
        "aa": False,
        "started": "2026-11-20T13:00:00Z",
        "finished": "2026-11-20T13:04:00Z",
        "device": synthetic.run("synthetic-cpu-2c", "cpu", [])["device"],
        "verdicts": verdicts,
    }


def verdict(
    case: str,
    kind: str,
    change: float | None = None,
    pairs: int = 0,
    reason: str = "",
    *,
    delta: float = 0.03,
    noise: float = 0.01,
    modes: float = 0.0,
    seed: int = 1,
    rounds: bool = True,
) -> Json:
    """One case; with a `change` (a log ratio) its numbers follow from invented pairs. `modes`: how far apart, in logs,
    the two speeds are that each process draws one of."""
    made: Json = {"case": case, "baseline_case": case, "verdict": kind, "delta": delta, "pairs": pairs, "dropped": 0}
    made |= {"expected": False, "rounds": []}
    if reason:
        made["reason"] = reason
    if kind == "new":
        del made["baseline_case"]
    if change is None:
        return made
    draw = random.Random(seed)
    times = [
        [
            1e5 * math.exp(shift + draw.gauss(0, noise / math.sqrt(2)) + (modes if draw.random() < 0.4 else 0.0))
            for shift in (0.0, change)
        ]
        for _ in range(pairs)
    ]
    if rounds:
        made["rounds"] = [
            {"round": index, "baseline_first": index % 2 == 0, "baseline_ns": old, "candidate_ns": new}
            for index, (old, new) in enumerate(times)
        ]
    logs = sorted(math.log(new / old) for old, new in times)
    middle, cut = logs[len(logs) // 2], max(1, len(logs) // 4)
    made |= {"baseline_ns": 1e5, "candidate_ns": 1e5 * math.exp(middle), "ratio": math.exp(middle), "noise": noise}
    made |= {"ratio_low": math.exp(logs[cut - 1]), "ratio_high": math.exp(logs[-cut])}
    made |= {"p_value": 0.2 if kind == "undecided" else 1e-6, "level": 1e-5}
    if kind == "undecided":
        made["smallest_effect"] = 0.047
    return made


def odd() -> Json:
    """A gate of what is rare: changes beyond the axis, intervals without a bound, bimodal processes, dropped pairs, an
    expected regression, deltas of their own, long names of cases and sides."""
    names = (
        f"attention/flash_mma/bf16/batch=1,heads=16,seq=1024,dim=64,mask=causal,part={part}" for part in range(1, 10)
    )
    expected = {"expected": True, "expectation": "more digits, until 2026-12-31"}
    why = "3 of 12 pairs are left, the others were dropped: hw_thermal_slowdown, and a reason that is longer than a row"
    verdicts = [
        verdict(next(names), "regression", math.log(2.6), 18),
        verdict(next(names), "improvement", -math.log(3), 12),
        verdict(next(names), "undecided", 0.02, 60, modes=0.12),
        verdict(next(names), "regression", 0.07, 18) | expected,
        verdict(next(names), "undecided", 0.01, 4),
        verdict(next(names), "undecided", 0.1, 3),
        verdict(next(names), "pass", 0.0, 8, delta=0.1),
        verdict(next(names), "invalid_environment", None, 3, why),
        verdict("odd", "timeout", None, 1, "baseline: timeout: 120 s"),
    ]
    verdicts[2]["rounds"][5]["dropped"] = "hw_thermal_slowdown"
    verdicts[2]["dropped"] = 1
    for key in ("ratio_low", "ratio_high"):
        del verdicts[4][key]
    del verdicts[5]["ratio_high"]
    sides = {"baseline": "/a/folder/WITH/A/LONG/NAME/ridgeline-suites", "candidate": "W" * 60}
    return gate(0) | sides | {"verdicts": verdicts, "cases": len(verdicts)}


if __name__ == "__main__":
    number, file = sys.argv[1:]
    Path(file).write_text(json.dumps(synthetic.document() | {"gates": [gate(int(number))]}), encoding="utf-8")
