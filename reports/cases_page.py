"""The table of all cases: the latest result of each, a row per case and device."""

from __future__ import annotations

from dataclasses import dataclass

from reports import short_names, when
from reports.case_index import CaseIndex
from reports.told import Tellings, Told

_LONG_NAME = 40  # letters of a line


@dataclass(frozen=True)
class CaseRow:
    """`value` is in ns and `share` a share of one, None where not known; `change` is what nights or
    a gate tell."""

    name: str
    shown: str
    address: str
    suite: str
    dtype: str
    device: str
    outcome: str
    colour: str
    value: float | None
    value_words: str
    interval: str
    share: float | None
    share_words: str
    roof: str
    started_words: str
    change: Told | None


def rows(index: CaseIndex, tellings: Tellings) -> list[CaseRow]:
    shown = short_names.without_shared([place.name for place in index.places], _LONG_NAME)
    return [
        CaseRow(
            name=place.name,
            shown=short,
            address=place.address,
            suite=on.past.suite,
            dtype=on.past.dtype,
            device=on.device.name,
            outcome=on.case.outcome,
            colour={"good": "good", "failed": "bad"}.get(on.case.state, "note"),
            value=on.case.median_ns,
            value_words=on.case.words.get("median", ""),
            interval=on.case.words.get("interval", ""),
            share=share_of(on.case.words.get("share", "")),
            share_words=on.case.words.get("share", ""),
            roof=on.case.roof,
            started_words=when.minute(on.run.started),
            change=tellings.change(on),
        )
        for place, short in zip(index.places, shown, strict=True)
        for on in place.on
    ]


def share_of(words: str) -> float | None:
    """ "56.2%" as 0.562, to sort by; None of what is no share."""
    try:
        return float(words.removesuffix("%")) / 100 if words.endswith("%") else None
    except ValueError:
        return None
