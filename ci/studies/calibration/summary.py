"""What a study's gates say: a pure function of its journal."""

import math
import operator
import statistics
from collections import Counter

from ci.studies.calibration import rivals
from ci.studies.calibration.comparison import FIRST_ROUNDS, JoinedSuites, rival
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
    rounds_of,
    share_of,
)

EVEN = ("quiet", "power")  # parts in whose gates each case has the same extra work


def _share(cases: list[dict], *verdicts: str) -> dict:
    return share_of(cases, lambda case: case["verdict"] in verdicts)


def _suites_with_alarm(gates: list[dict]) -> dict:
    return share_of(gates, lambda gate: any(map(is_alarm, gate["cases"])))


def aa(gates: list[dict]) -> dict:
    """A/A gates of one setting."""
    everything = cases_of(gates)
    cases = measured(everything)
    rounds = [rounds_of(case) for case in cases]
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
        "mean_rounds": statistics.fmean(rounds) if rounds else None,
        "most_rounds": max(rounds, default=None),
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
    """Gates of one amount of extra work and one delta. What a gate left out was not found."""

    def of(cases: list[dict]) -> dict:
        with_times = measured(cases)
        ratios = [case["ratio"] for case in with_times]
        return {
            "found": _share(cases, *_wanted(extra)),
            "tails": _share(cases, "tail"),
            "wrong_direction": share_of(
                cases, lambda c: is_alarm(c) and c["verdict"] not in _wanted(extra)
            ),
            "pass": _share(cases, "pass"),
            "undecided": _share(cases, "undecided"),
            "mean_rounds": statistics.fmean(map(rounds_of, with_times)) if with_times else None,
            "median_ratio": statistics.median(ratios) if ratios else None,
        }

    cases = cases_of(gates)
    return {
        "gates": len(gates),
        "all": of(cases),
        "by_kind": by_kind(cases, of),
        "by_case": {
            name: of([c for c in cases if c["case"] == name])
            for name in sorted({c["case"] for c in cases})
        },
        "work_was_done": share_of(measured(cases), lambda case: work_was_done(case, extra)),
    }


def tails(gates: list[dict]) -> dict:
    """Gates of one plant and one delta, every case of which has it. What a gate left out was not
    found."""
    cases = cases_of(gates)
    with_times = measured(cases)
    samples = [len(one) for case in with_times for one in (*case["baseline"], *case["candidate"])]

    def of(some: list[dict]) -> dict:
        return {
            "found": _share(some, *SLOWER),
            "within_40": share_of(
                some, lambda case: case["verdict"] in SLOWER and rounds_of(case) <= 40
            ),
        }

    def planted(metric: str) -> float | None:
        """Mean over cases of what was counted."""
        values = [case[metric] for case in with_times if metric in case]
        return statistics.fmean(values) if values else None

    return {
        "gates": len(gates),
        **of(cases),
        "tails": _share(cases, "tail"),
        "pass": _share(cases, "pass"),
        "undecided": _share(cases, "undecided"),
        "mean_rounds": statistics.fmean(map(rounds_of, with_times)) if with_times else None,
        "suites_with_alarm": _suites_with_alarm(gates),
        "samples": statistics.median(samples) if samples else None,
        "slow_executions": planted("slow_executions"),
        "slow_processes": planted("slow_processes"),
        "by_kind": by_kind(cases, of),
    }


def one(gates: list[dict], extra: float) -> dict:
    """Gates of one amount of extra work, in one of their cases each."""
    planted = [(gate, case) for gate in gates for case in gate["cases"] if _is_planted(gate, case)]
    others = [case for gate in gates for case in gate["cases"] if not _is_planted(gate, case)]
    rounds = [rounds_of(case) for _, case in planted]
    return {
        "gates": len(gates),
        "found": share_of(planted, lambda pair: pair[1]["verdict"] in _wanted(extra)),
        "pass": share_of(planted, lambda pair: pair[1]["verdict"] == "pass"),
        "undecided": share_of(planted, lambda pair: pair[1]["verdict"] == "undecided"),
        "mean_rounds": statistics.fmean(rounds) if rounds else None,
        "others_with_alarm": share_of(measured(others), is_alarm),
        "others_pass": _share(others, "pass"),
        "mean_wall_s": statistics.fmean(gate["wall_s"] for gate in gates),
        "by_kind": by_kind(
            [case for _, case in planted], lambda some: {"found": _share(some, *_wanted(extra))}
        ),
    }


def _is_planted(gate: dict, case: dict) -> bool:
    return case["case"] == gate.get("planted_case")


def _log_ratios(case: dict) -> list[float]:
    pairs = zip(case["baseline"], case["candidate"], strict=False)
    return [math.log(statistics.median(new) / statistics.median(old)) for old, new in pairs]


def coverage(gates: list[dict]) -> dict:
    """Of gates whose cases all have the same extra work: how often the 95% interval holds the
    truth, which is the work that was done, and, because time need not follow work exactly, the
    median of all pairs of the same case and extra work (of which one gate is a small part)."""
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
            {extra: cases_of(gates) for extra, gates in tried.items()},
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
                "rivals": [rival(rule, quiet, joined, tried, alarm_share) for rule in rivals.RULES],
                "first_rounds": FIRST_ROUNDS,
            }
        )
    return {
        "version": 4,
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
        "tails": [
            {"delta": delta, "plant": plant, "case_alphas": _case_alphas(gates), **tails(gates)}
            for delta in deltas
            for plant in sorted({gate.get("plant", "") for gate in of("tails", delta)})
            if (gates := [g for g in of("tails", delta) if g.get("plant", "") == plant])
        ],
        "one": [
            {
                "delta": delta,
                "extra": extra,
                "case_alphas": _case_alphas(gates),
                **one(gates, extra),
            }
            for delta in deltas
            for extra in sorted({gate["extra"] for gate in of("one", delta)})
            if (gates := of("one", delta, extra))
        ],
        "coverage": coverage([gate for gate in journal.gates if gate["part"] in EVEN]),
        "overhead": overhead([gate for gate in journal.gates if gate["part"] != "busy"]),
    }
