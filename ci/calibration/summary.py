"""What a study's gates say: a pure function of its journal."""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable

from ci.calibration import rivals
from ci.calibration.gates import work_was_done
from ci.calibration.journal import MEASURED, TIMES, Journal
from ci.calibration.proportion import interval

FOUND = 0.8  # a slow-down is found when this share of its trials says so
KIND_OF_ALARM = ("regression", "improvement")


def kind_of(case: dict) -> str:
    """compute, memory, ...: the variant."""
    parts = case["case"].split("/")
    return parts[1] if len(parts) > 1 else case["case"]


def rate(successes: int, trials: int) -> dict:
    """With its 95% limits; without trials there is no rate."""
    if trials == 0:
        return {"count": 0, "of": 0}
    low, high = interval(successes, trials)
    return {"count": successes, "of": trials, "share": successes / trials, "low": low, "high": high}


def _share(items: Iterable, holds: Callable) -> dict:
    items = list(items)
    return rate(sum(bool(holds(item)) for item in items), len(items))


def _measured(gates: Iterable[dict]) -> list[dict]:
    return [case for gate in gates for case in gate["cases"] if case["verdict"] in MEASURED]


def _kinds(gates: list[dict]) -> list[str]:
    return sorted({kind_of(case) for gate in gates for case in gate["cases"]})


def _is_alarm(case: dict) -> bool:
    return case["verdict"] in KIND_OF_ALARM


def aa(gates: list[dict]) -> dict:
    """A/A gates of one setting."""
    cases = _measured(gates)
    everything = [case for gate in gates for case in gate["cases"]]
    pairs = [case["pairs"] for case in cases]
    return {
        "suites_with_alarm": _share(gates, lambda gate: any(map(_is_alarm, gate["cases"]))),
        "cases_with_alarm": _share(cases, _is_alarm),
        "slow_side": _share(cases, lambda case: case["verdict"] == "regression"),
        "pass": _share(everything, lambda case: case["verdict"] == "pass"),
        "undecided": _share(everything, lambda case: case["verdict"] == "undecided"),
        "not_measured": dict(Counter(c["verdict"] for c in everything if c["verdict"] not in MEASURED)),
        "mean_pairs": statistics.fmean(pairs) if pairs else None,
        "most_pairs": max(pairs, default=None),
        "mean_wall_s": statistics.fmean(gate["wall_s"] for gate in gates),
        "by_kind": {
            kind: {
                "pass": _share((c for c in everything if kind_of(c) == kind), lambda c: c["verdict"] == "pass"),
                "cases_with_alarm": _share((c for c in cases if kind_of(c) == kind), _is_alarm),
            }
            for kind in _kinds(gates)
        },
    }


def _wanted(extra: float) -> str:
    return "regression" if extra > 0 else "improvement"


def power(gates: list[dict], extra: float) -> dict:
    """Gates of one amount of extra work and one delta."""

    def of(cases: list[dict]) -> dict:
        ratios = [case["ratio"] for case in cases]
        return {
            "found": _share(cases, lambda case: case["verdict"] == _wanted(extra)),
            "wrong_direction": _share(cases, lambda c: _is_alarm(c) and c["verdict"] != _wanted(extra)),
            "pass": _share(cases, lambda case: case["verdict"] == "pass"),
            "undecided": _share(cases, lambda case: case["verdict"] == "undecided"),
            "mean_pairs": statistics.fmean(case["pairs"] for case in cases) if cases else None,
            "median_ratio": statistics.median(ratios) if ratios else None,
        }

    cases = _measured(gates)
    return {
        "gates": len(gates),
        "all": of(cases),
        "by_kind": {kind: of([c for c in cases if kind_of(c) == kind]) for kind in _kinds(gates)},
        "by_case": {name: of([c for c in cases if c["case"] == name]) for name in sorted({c["case"] for c in cases})},
        "work_was_done": _share(cases, lambda case: work_was_done(case, extra)),
    }


def _log_ratios(case: dict) -> list[float]:
    pairs = zip(case["baseline"], case["candidate"], strict=False)
    return [math.log(statistics.median(new) / statistics.median(old)) for old, new in pairs]


def coverage(gates: list[dict]) -> dict:
    """How often the 95% interval holds the truth: the work that was done, and, because time need not follow work
    exactly, the median of all pairs of the same case and extra work (of which one gate is a small part)."""
    ratios: dict[tuple[str, float], list[float]] = {}
    for gate in gates:
        for case in _measured([gate]):
            ratios.setdefault((case["case"], gate["extra"]), []).extend(_log_ratios(case))
    medians = {key: math.exp(statistics.median(values)) for key, values in ratios.items() if values}
    rows = []
    for gate in gates:
        for case in _measured([gate]):
            low, high = case.get("ratio_low", 0.0), case.get("ratio_high", math.inf)
            measured = medians.get((case["case"], gate["extra"]))
            rows.append(
                {
                    "kind": kind_of(case),
                    "work": low <= 1 + gate["extra"] / 100 <= high,
                    "time": measured is not None and low <= measured <= high,
                }
            )
    kinds = sorted({row["kind"] for row in rows})
    return {
        "all": {truth: _share(rows, lambda row, truth=truth: row[truth]) for truth in ("work", "time")},
        "by_kind": {
            kind: {
                truth: _share((r for r in rows if r["kind"] == kind), lambda row, truth=truth: row[truth])
                for truth in ("work", "time")
            }
            for kind in kinds
        },
        "measured_ratios": [
            {"case": case, "extra": extra, "ratio": ratio, "pairs": len(ratios[case, extra])}
            for (case, extra), ratio in sorted(medians.items())
        ],
    }


def smallest_found(found: dict[float, dict], wanted: float = FOUND) -> float | None:
    """The smallest slow-down such that it and all larger ones were found in the wanted share of trials."""
    smallest = None
    for extra in sorted((extra for extra in found if extra > 0), reverse=True):
        if found[extra].get("share", 0.0) < wanted:
            break
        smallest = extra
    return smallest


def _findings(rule: rivals.Rule, gate: dict) -> list[tuple[str, rivals.Finding]]:
    return [
        (kind_of(case), rule.judge(case["baseline"], case["candidate"]))
        for case in _measured([gate])
        if case["baseline"] and case["candidate"]
    ]


def rival(rule: rivals.Rule, quiet: list[dict], tried: dict[float, list[dict]], our_alarms: int) -> dict:
    """The rule on the samples of the same gates: `quiet` A/A gates, and those of each amount of extra work; as shipped,
    and with the threshold at which no more of the A/A suites have an alarm than ours had."""
    in_suites = [_findings(rule, gate) for gate in quiet]
    in_trials = {extra: [found for gate in gates for found in _findings(rule, gate)] for extra, gates in tried.items()}
    kinds = sorted({kind for findings in in_trials.values() for kind, _ in findings})
    flat = [finding for suite in in_suites for _, finding in suite]

    def at(threshold: float) -> dict:
        def found(extra: float, kind: str | None) -> dict:
            findings = [finding for of, finding in in_trials[extra] if kind in (None, of)]
            return _share(findings, lambda f: f.strength > threshold and f.slower == (extra > 0))

        by_extra = {extra: found(extra, None) for extra in in_trials}
        by_kind = {kind: {extra: found(extra, kind) for extra in in_trials} for kind in kinds}
        return {
            "threshold": threshold,
            "suites_with_alarm": _share(in_suites, lambda suite: any(f.strength > threshold for _, f in suite)),
            "slow_side": _share(flat, lambda f: f.slower and f.strength > threshold),
            "found": {f"{extra:g}": share for extra, share in by_extra.items()},
            "smallest": {
                "all": smallest_found(by_extra),
                **{kind: smallest_found(shares) for kind, shares in by_kind.items()},
            },
        }

    strongest = [max((f.strength for _, f in suite), default=-math.inf) for suite in in_suites]
    result = {"rule": rule.key, "name": rule.name, "as_shipped": at(rule.threshold)}
    if strongest:
        result["at_our_rate"] = at(rivals.equal_rate_threshold(strongest, our_alarms))
    return result


def ours(quiet: list[dict], tried: dict[float, list[dict]]) -> dict:
    """This gate in the shape of a rival."""
    found = {extra: power(gates, extra) for extra, gates in tried.items()}
    kinds = sorted({kind for each in found.values() for kind in each["by_kind"]})
    measured = aa(quiet) if quiet else {}
    return {
        "suites_with_alarm": measured.get("suites_with_alarm", rate(0, 0)),
        "slow_side": measured.get("slow_side", rate(0, 0)),
        "found": {f"{extra:g}": each["all"]["found"] for extra, each in found.items()},
        "smallest": {
            "all": smallest_found({extra: each["all"]["found"] for extra, each in found.items()}),
            **{
                kind: smallest_found({e: each["by_kind"][kind]["found"] for e, each in found.items()})
                for kind in kinds
                if all(kind in each["by_kind"] for each in found.values())
            },
        },
    }


def overhead(gates: list[dict]) -> dict:
    """Where the wall time of gates went, as shares; what no measurement accounts for is starting processes, talking to
    them and keeping the results."""
    wall_ns = 1e9 * sum(gate["wall_s"] for gate in gates)
    if not wall_ns:
        return {}
    shares = {name.removesuffix("_ns"): sum(gate["time"][name] for gate in gates) / wall_ns for name in TIMES}
    shares["rest"] = 1 - sum(shares.values())
    return {**shares, "not_sampling_or_warming_up": shares["prepare"] + shares["verify"] + shares["rest"]}


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
            if gate["part"] == part and delta in (None, gate["delta"]) and extra in (None, gate["extra"])
        ]

    deltas = sorted({gate["delta"] for gate in journal.gates})
    extras = sorted({gate["extra"] for gate in of("power")})
    by_delta = []
    for delta in deltas:
        tried = {extra: of("power", delta, extra) for extra in extras if of("power", delta, extra)}
        # A/A gates of the same delta where there are any: how long a gate goes on depends on it.
        quiet = of("quiet", delta) or of("quiet")
        if not tried:
            continue
        alarms = sum(any(map(_is_alarm, gate["cases"])) for gate in quiet)
        by_delta.append(
            {
                "delta": delta,
                "power": {f"{extra:g}": power(gates, extra) for extra, gates in tried.items()},
                "ours": ours(quiet, tried),
                "rivals": [rival(rule, quiet, tried, alarms) for rule in rivals.RULES],
            }
        )
    return {
        "version": 1,
        "study": journal.study,
        "gates": len(journal.gates),
        "lines_left_out": len(journal.left_out),
        "wall_s": sum(gate["step_s"] for gate in journal.gates),
        "aa": [
            {"part": part, "deltas": list(some), **aa(gates)}
            for part in ("quiet", "busy")
            for some in _each_and_all(sorted({gate["delta"] for gate in of(part)}))
            if (gates := [gate for gate in of(part) if gate["delta"] in some])
        ],
        "by_delta": by_delta,
        "coverage": coverage([gate for gate in journal.gates if gate["part"] != "busy"]),
        "overhead": overhead([gate for gate in journal.gates if gate["part"] != "busy"]),
    }
