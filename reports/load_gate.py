"""Reads and checks the gates of a report JSON."""

from __future__ import annotations

from reports.load_run import device
from reports.model_gate import MODES, VERDICTS, Gate, Pair, Verdict
from reports.node import InputError, Node


def gate(node: Node) -> Gate:
    names = ("id", "status", "baseline", "candidate", "baseline_run", "candidate_run", "command_line", "started")
    return Gate(
        **{name: node.text(name) for name in names},
        mode=node.choice("mode", MODES),
        finished=node.text("finished", ""),
        rules_text=node.text("rules_text", ""),
        seed=node.integer("seed"),
        alpha=node.number("alpha", positive=True),
        cases=node.integer("cases"),
        aa=node.flag("aa"),
        device=device(node.node("device")),
        verdicts=tuple(_verdict(verdict) for verdict in node.nodes("verdicts")),
    )


def _verdict(node: Node) -> Verdict:
    numbers = ("baseline_ns", "candidate_ns", "ratio", "ratio_low", "ratio_high")
    verdict = Verdict(
        case=node.text("case"),
        baseline_case=node.text("baseline_case", ""),
        verdict=node.choice("verdict", VERDICTS),
        reason=node.text("reason", ""),
        delta=node.number("delta"),
        **{name: node.optional(name, positive=True) for name in numbers},
        pairs=node.integer("pairs"),
        dropped=node.integer("dropped"),
        **{name: node.optional(name) for name in ("noise", "smallest_effect", "p_value", "level")},
        expected=node.flag("expected"),
        expectation=node.text("expectation", ""),
        rounds=tuple(sorted((_pair(pair) for pair in node.nodes("rounds")), key=lambda pair: pair.round)),
        metric=node.text("metric", ""),
        **{name: node.signed(name) for name in ("baseline_value", "candidate_value")},
    )
    ends = [end for end in (verdict.ratio_low, verdict.ratio, verdict.ratio_high) if end is not None]
    if ends and (verdict.ratio is None or ends != sorted(ends)):
        raise InputError(f"{node.at('ratio')}: expected a number within its interval")
    return verdict


def _pair(node: Node) -> Pair:
    return Pair(
        round=node.integer("round"),
        baseline_first=node.flag("baseline_first"),
        baseline_ns=node.number("baseline_ns", positive=True),
        candidate_ns=node.number("candidate_ns", positive=True),
        dropped=node.text("dropped", ""),
    )
