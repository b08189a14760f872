"""Documents whose texts try to become markup, script, style or addresses, or to spoil the lines
around them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from reports.synthetic import Json

MARK = "alert(1)"  # in every text that tries to run
TEXTS = (
    f"<script>{MARK}</script>",
    f'"><img src=x onerror={MARK}>',
    f"' onfocus={MARK} autofocus tabindex=1 x='",
    f"javascript:{MARK}",
    f"</script><script>{MARK}</script>",
    f"</style><style>*{{background:url(https://x.invalid/{MARK})}}",
    f"<svg onload={MARK}><a href=javascript:{MARK}>",
    f"https://x.invalid/{MARK}",
    f"<!--<script>{MARK}",
    f"${{{MARK}}} {{{{{MARK}}}}} `{MARK}`",
    "\u2028\u2029\u202e\u2066 evil",
    "\u0627\u0644\u0639\u0631\u0628\u064a\u0629 \u0915\u094d\u0937 e\u0301\u0301",
    "x" * 3000,
    "__proto__",
    "%3Cscript%3E%",
)

# What is read as one of a few words, as a date, or as an address.
FIXED = frozenset(
    [
        "baseline",
        "bound",
        "candidate",
        "cannot_be_told",
        "counted",
        "distance",
        "does_not_hold",
        "drift",
        "environment",
        "failed",
        "good",
        "hardware",
        "higher",
        "holds",
        "holds_only_when",
        "holds_where_told",
        "improvement",
        "left_out",
        "lower",
        "near",
        "none",
        "not_measured",
        "open",
        "pairs",
        "pass",
        "refs",
        "regression",
        "ridgeline-report",
        "stopped",
        "times",
        "undecided",
        "unsteady",
    ]
)
_FIXED_SHAPE = re.compile(r"\d{4}-\d\d-\d\d|https://.*")
_FACTS = ("comparable", "recorded", "properties")


def document(of: Json) -> Json:
    """`of` with one of TEXTS behind each of its texts that is free, and with a fact that is named
    so. Equal texts stay equal, so that names are still found."""
    added: dict[str, str] = {}

    def change(text: str) -> str:
        if text in FIXED or _FIXED_SHAPE.fullmatch(text):
            return text
        return text + added.setdefault(text, TEXTS[len(added) % len(TEXTS)])

    return _changed(of, change)


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_changed(one, change) for one in value]
    if isinstance(value, dict):
        changed = {key: _changed(one, change) for key, one in value.items()}
        for key in _FACTS:
            if isinstance(changed.get(key), dict):
                changed[key] |= {TEXTS[0]: TEXTS[1]}
        return changed
    return value
