"""Invented gates for tests, never measured: every verdict, bimodal processes, dropped pairs,
unbounded intervals."""

from __future__ import annotations

import json
import math
import random
import sys
from collections import Counter
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
    """A gate of that many cases; most of many pass, and each other verdict is there once there are
    12."""
    verdicts = []
    for index in range(cases):
        kind = _KINDS[index % len(_KINDS)] if index < len(_KINDS) else _KINDS[3]
        if index % 17 == 16:
            kind = _KINDS[1]
        name = f"gemm/shared_tiled/f32/m={64 + index},n={64 + index},k={64 + index}"
        verdicts.append(
            verdict(name, *kind, delta=delta, seed=seed * 1000 + index, rounds=mode != "runs")
        )
    return of(verdicts, mode=mode, seed=seed)


def of(verdicts: list[Json], **facts: object) -> Json:
    """A gate of these verdicts."""
    counts = ", ".join(
        f"{number} {kind}" for kind, number in Counter(one["verdict"] for one in verdicts).items()
    )
    made: Json = {
        "id": "20261120T130000Z-9a7e00",
        "mode": "refs",
        "status": "finished",
        "baseline": "main",
        "candidate": "HEAD",
        "baseline_run": "20261120T130000Z-aaaaaa",
        "candidate_run": "20261120T130000Z-bbbbbb",
        "command_line": "ridgeline gate --baseline-ref main --candidate-ref HEAD gemm",
        "seed": 1,
        "alpha": 0.01,
        "cases": len(verdicts),
        "aa": False,
        "started": "2026-11-20T13:00:00Z",
        "finished": "2026-11-20T13:04:00Z",
    }
    made |= facts
    bad = any(one["fails"] for one in verdicts)
    return {
        "gate": made,
        "device": synthetic.run("synthetic-cpu-2c", "cpu", [])["device"],
        "fails": bad,
        "doubtful": any(one["verdict"] == "undecided" for one in verdicts),
        "conclusions": [
            f"{len(verdicts)} cases: {counts}",
            f"the gate {'fails: why' if bad else 'passes'}",
        ],
        "counts_text": counts or "no case was compared",
        "gives": "times",
        "counted": "processes" if made["mode"] == "runs" else "pairs",
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
    """One case; with a `change` (a log ratio) its numbers follow from invented pairs. `modes`: how
    far apart, in logs, the two speeds are that each process draws one of."""
    bad = kind in ("regression", "wrong_result", "crashed", "timeout", "missing")
    made: Json = {"case": case, "verdict": kind, "fails": bad, "delta": delta, "pairs": pairs}
    words: Json = {"verdict": kind, "why": reason}
    made |= {"reason": reason, "words": words}
    if change is None:
        return made
    draw = random.Random(seed)
    logs = [
        change + draw.gauss(0, noise) + modes * ((draw.random() < 0.4) - (draw.random() < 0.4))
        for _ in range(pairs)
    ]
    if rounds:
        made["rounds"] = [
            {"round": index, "first": ("baseline", "candidate")[index % 2], "log_ratio": one}
            for index, one in enumerate(logs)
        ]
    logs.sort()
    cut = max(1, len(logs) // 4)
    ends = {"ratio_low": logs[cut - 1], "ratio": logs[len(logs) // 2], "ratio_high": logs[-cut]}
    low, middle, high = (
        f"{100 * math.expm1(end):+.{1 if abs(end) < 0.6 else 0}f}%" for end in ends.values()
    )
    words |= {
        "change": middle,
        "interval": f"[{low}, {high}]",
        "delta": f"{100 * delta:g}%",
        "pairs": str(pairs),
    }
    words |= {
        "baseline": "100 us",
        "candidate": f"{100 * math.exp(ends['ratio']):.3g} us",
        "noise": f"{noise:.2%}",
    }
    return made | {key: math.exp(end) for key, end in ends.items()}


def odd() -> Json:
    """A gate of what is rare: changes beyond the axis, intervals without a bound, bimodal
    processes, dropped pairs, an expected regression, deltas of their own, long names of cases and
    sides."""
    names = (
        f"attention/flash_mma/bf16/batch=1,heads=16,seq=1024,dim=64,mask=causal,part={part}"
        for part in range(1, 10)
    )
    expected = {
        "fails": False,
        "expectation": {"text": "up to 10%", "state": "met"},
        "words": {"verdict": "regression (expected)", "change": "+7.2%"},
    }
    why = (
        "3 of 12 pairs are left, the others were dropped: hw_thermal_slowdown, and a reason that "
        "is longer than a row"
    )
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
    for key in ("ratio_low", "ratio_high"):
        del verdicts[4][key]
    del verdicts[5]["ratio_high"]
    return of(verdicts, baseline="/a/folder/WITH/A/LONG/NAME/ridgeline-suites", candidate="W" * 60)


if __name__ == "__main__":
    number, file = sys.argv[1:]
    Path(file).write_text(
        json.dumps(synthetic.document() | {"gates": [gate(int(number))]}), encoding="utf-8"
    )
