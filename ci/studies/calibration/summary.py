"""What a study's gates say: a pure function of its journal."""

import math
import operator
import statistics
from collections import Counter

from ci.studies.calibration import rivals
from ci.studies.calibration.comparison import FIRST_ROUNDS, GPU_FIRST_ROUNDS, JoinedSuites, rival
from ci.studies.calibration.gates import work_was_done
from ci.studies.calibration.journal import MEASURED, TIMES, Journal
from ci.studies.calibration.shares import (
    SLOWER,
    by_kind,
    cases_of,
    found_shares,
    is_alarm,
    measured,
    measured_of,
    share_of,
)


def _share(cases: list[dict], *verdicts: str) -> dict:
    return share_of(cases, lambda case: case["verdict"] in verdicts)


def _suites_with_alarm(gates: list[dict]) -> dict:
    return share_of(gates, lambda gate: any(map(is_alarm, gate["cases"])))


def aa(gates: list[dict]) -> dict:
    """A/A gates of one setting."""
    everything = cases_of(gates)
    cases = measured(everything)
    pairs = [case["pairs"] for case in cases]
    return {
        "suites_with_alarm": _suites_with_alarm(gates),
        "cases_with_alarm": share_of(cases, is_alarm),
        "slow_side": _share(cases, *SLOWER),
        "tails": _share(cases, "tail"),
        "pass": _share(everything, "pass"),
        "undecided": _share(everything, "undecided"),
        "not_measured": dict(
            Counter(c["verdict"] for c in everything if c["verdict"] not in MEASURED)
        ),
        "mean_pairs": statistics.fmean(pairs) if pairs else None,
        "most_pairs": max(pairs, default=None),
        "mean_wall_s": statistics.fmean(gate["wall_s"] for gate in gates),
        "by_kind": by_kind(
            everything,
            lambda some: {
                "pass": _share(some, "pass"),
                "cases_with_alarm": share_of(measured(some), is_alarm),
            },
        ),
    }


def _wanted(extra: float) -> tuple[str, ...]:
    return SLOWER if extra > 0 else ("improvement",)


def power(gates: list[dict], extra: float) -> dict:
    """Gates of one amount of extra work and one delta."""

    def of(cases: list[dict]) -> dict:
        ratios = [case["ratio"] for case in cases]
        return {
            "found": _share(cases, *_wanted(extra)),
            "wrong_direction": share_of(
                cases, lambda c: is_alarm(c) and c["verdict"] not in _wanted(extra)
            ),
            "pass": _share(cases, "pass"),
            "undecided": _share(cases, "undecided"),
            "mean_pairs": statistics.fmean(case["pairs"] for case in cases) if cases else None,
            "median_ratio": statistics.median(ratios) if ratios else None,
        }

    cases = measured_of(gates)
    return {
        "gates": len(gates),
        "all": of(cases),
        "by_kind": by_kind(cases_of(gates), lambda some: of(measured(some))),
        "by_case": {
            name: of([c for c in cases if c["case"] == name])
            for name in sorted({c["case"] for c in cases})
        },
        "work_was_done": share_of(cases, lambda case: work_was_done(case, extra)),
    }


def _log_ratios(case: dict) -> list[float]:
    pairs = zip(case["baseline"], case["candidate"], strict=False)
    return [math.log(statistics.median(new) / statistics.median(old)) for old, new in pairs]


def coverage(gates: list[dict]) -> dict:
    """How often the 95% interval holds the truth: the work that was done, and, because time need
    not follow work exactly, the median of all pairs of the same case and extra work (of which one
    gate is a small part)."""
    cases = [(case, gate["extra"]) for gate in gates for case in measured(gate["cases"])]
    ratios: dict[tuple[str, float], list[float]] = {}
    for case, extra in cases:
        ratios.setdefault((case["case"], extra), []).extend(_log_ratios(case))
    medians = {key: math.exp(statistics.median(values)) for key, values in ratios.items() if values}
    rows = []
    for case, extra in cases:
        low, high = case.get("ratio_low"), case.get("ratio_high")
        low, high = low or 0.0, math.inf if high is None else high
        median = medians.get((case["case"], extra), math.nan)
        held = {"work": low <= 1 + extra / 100 <= high, "time": low <= median <= high}
        rows.append({"case": case["case"], **held})

    def truths(rows: list[dict]) -> dict:
        return {truth: share_of(rows, operator.itemgetter(truth)) for truth in ("work", "time")}

    return {
        "all": truths(rows),
        "by_kind": by_kind(rows, truths),
        "measured_ratios": [
            {"case": case, "extra": extra, "ratio": ratio, "pairs": len(ratios[case, extra])}
            for (case, extra), ratio in sorted(medians.items())
        ],
    }


def ours(quiet: list[dict], tried: dict[float, list[dict]]) -> dict:
    """This gate in the shape of a rival."""
    return {
        "suites_with_alarm": _suites_with_alarm(quiet),
        "slow_side": _share(measured_of(quiet), *SLOWER),
        **found_shares(
            {extra: measured_of(gates) for extra, gates in tried.items()},
            lambda case, extra: case["verdict"] in _wanted(extra),
        ),
    }


def overhead(gates: list[dict]) -> dict:
    """Where the wall time of gates went, as shares; what no measurement accounts for is starting
    processes, talking to them and keeping the results."""
    wall_ns = 1e9 * sum(gate["wall_s"] for gate in gates)
    if not wall_ns:
        return {}
    shares = {
        name.removesuffix("_ns"): sum(gate["time"][name] for gate in gates) / wall_ns
        for name in TIMES
    }
    shares["rest"] = 1 - sum(shares.values())
    return {
        **shares,
        "not_sampling_or_warming_up": shares["prepare"] + shares["verify"] + shares["rest"],
    }


def _case_alphas(gates: list[dict]) -> list[float]:
    """alpha/N: what the plans of these gates' cases could spend on false alarms."""
    return sorted({gate["alpha"] / gate["suite"] for gate in gates})


def _each_and_all(deltas: list[float]) -> list[tuple[float, ...]]:
    return [*((delta,) for delta in deltas), *([tuple(deltas)] if len(deltas) > 1 else [])]


def summarise(journal: Journal) -> dict:
    """Raises ValueError when nothing was measured."""
    if journal.study is None or not journal.gates:
        raise ValueError("nothing was measured")

    def of(part: str, delta: float | None = None, extra: float | None = None) -> list[dict]:
        return [
            gate
            for gate in journal.gates
            if gate["part"] == part
            and delta in (None, gate["delta"])
            and extra in (None, gate["extra"])
        ]

    device_kind = journal.study["settings"].get("device_kind", "cpu")
    first_rounds = FIRST_ROUNDS if device_kind == "cpu" else GPU_FIRST_ROUNDS
    # Alarms of rivals do not depend on delta: all A/A gates tell theirs.
    quiet = of("quiet")
    alarm_share = _suites_with_alarm(quiet).get("share", 0.0)
    joined = JoinedSuites(quiet)
    deltas = sorted({gate["delta"] for gate in journal.gates})
    extras = sorted({gate["extra"] for gate in of("power")})
    by_delta = []
    for delta in deltas:
        tried = {extra: of("power", delta, extra) for extra in extras if of("power", delta, extra)}
        if not tried:
            continue
        by_delta.append(
            {
                "delta": delta,
                "case_alphas": _case_alphas([gate for gates in tried.values() for gate in gates]),
                "power": {f"{extra:g}": power(gates, extra) for extra, gates in tried.items()},
                "ours": ours(quiet, tried),
                "rivals": [
                    rival(rule, quiet, joined, tried, alarm_share, first_rounds)
                    for rule in rivals.RULES
                ],
                "first_rounds": first_rounds,
            }
        )
    return {
        "version": 3,
        "device_kind": device_kind,
        "study": journal.study,
        "gates": len(journal.gates),
        "lines_left_out": len(journal.left_out),
        "wall_s": sum(gate["step_s"] for gate in journal.gates),
        "aa": [
            {"part": part, "deltas": list(some), "case_alphas": _case_alphas(gates), **aa(gates)}
            for part in ("quiet", "busy")
            for some in _each_and_all(sorted({gate["delta"] for gate in of(part)}))
            if (gates := [gate for gate in of(part) if gate["delta"] in some])
        ],
        "by_delta": by_delta,
        "coverage": coverage([gate for gate in journal.gates if gate["part"] != "busy"]),
        "overhead": overhead([gate for gate in journal.gates if gate["part"] != "busy"]),
    }
