"""Invented claims for tests, never measured: every verdict, with and without a number."""

from __future__ import annotations

from collections.abc import Sequence

from reports import synthetic
from reports.synthetic import Json

_CHECKS = (
    # verdict, measured, verdict in words
    ("holds", "2.00 (1.98 to 2.02)", "holds"),
    ("does_not_hold", "0.556 (0.553 to 0.558)", "does not hold"),
    ("cannot_be_told", "1.81 (1.70 to 2.40)", "cannot be told: the interval contains the border"),
    ("not_measured", "", "not measured here: no run has it"),
)


def check(kind: int, cases: Sequence[str], when: str = "") -> Json:
    """Of the kind at this place of those that there are."""
    verdict, measured, words = _CHECKS[kind % len(_CHECKS)]
    made: Json = {
        "when": when,
        "verdict": verdict,
        "quantity": "speed",
        "at_least": 1.8,
        "cases": list(cases),
        "command": " ".join(["ridgeline run --device cuda:0", *cases]),
        "words": {"verdict": words, "measured": measured, "border": "at least 1.8"},
    }
    return {key: value for key, value in made.items() if value}


def claim(title: str, verdict: str, words: str, *checks: Json) -> Json:
    return {
        "title": title,
        "says": f"{title} is twice as fast.",
        "conditions": f"Of {title} with 64 elements.",
        "verdict": verdict,
        "words": words,
        "checks": list(checks),
    }


def device(of: Json, cases: Sequence[str], runs: Sequence[str] = ()) -> Json:
    """Of a document's device, with a claim of each verdict."""
    alone = [
        claim(f"claim {kind}", one[0], one[2], check(kind, cases))
        for kind, one in enumerate(_CHECKS)
    ]
    first, second = check(0, cases, "one is first"), check(1, cases, "two is first")
    nobody: Json = {"when": "nobody can tell", "verdict": "not_measured"}
    nobody["words"] = {"verdict": "not measured here: no suite has such a case"}
    some = [
        claim("parted", "holds_only_when", "holds only when one is first", first, second),
        claim("half known", "holds_where_told", "holds when one is first", first, nobody),
    ]
    return {
        "kind": of["kind"],
        "device": of,
        "counts_text": "6 claims: 1 hold, 1 do not hold, and others.",
        "claims": alone + some,
        "runs": list(runs),
    }


def document(run: Json) -> Json:
    """Of a run alone, whose first two cases show all claims."""
    cases = [one["name"] for one in run["cases"][:2]]
    claims = device(run["device"], cases, [run["id"], "20260101T000000Z-gone"])
    return synthetic.document(run) | {"claims": [claims]}
