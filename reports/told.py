"""What gates and nights say of each case, with the page that says more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports import gate_page, trend_page
from reports.case_index import OnDevice
from reports.model_gate import Gate, Verdict
from reports.model_trend import Finding, Trend
from reports.section import Section

_NO_CHANGE = ("pass", "same_code", "not_measured", "skipped", "new", "no_baseline")


@dataclass(frozen=True)
class Told:
    """`words` say it in a few words, `said` in all. `ratio` is after over before, None where there
    is none; `day` is the night that it is of, empty of a gate."""

    words: str
    said: str
    colour: str
    address: str
    ratio: float | None
    is_change: bool
    day: str = ""


@dataclass(frozen=True)
class _Subject:
    """Of which device something is told."""

    model: str
    uuid: str


class Tellings:
    def __init__(self, sections: Sequence[Section]) -> None:
        self._of: dict[str, list[tuple[_Subject, Told]]] = {}
        for section in sections:
            if section.kind == "trend":
                self._add_trend(section.of, section.address)
            elif section.kind == "gate":
                self._add_gate(section.of, section.address)

    def of(self, on: OnDevice) -> list[Told]:
        """Of this case on this device: of nights first, the newest first."""
        device = on.device.history.device
        found = [
            told
            for subject, told in self._of.get(on.past.name, ())
            if subject.model == device.model and subject.uuid in ("", device.uuid)
        ]
        return sorted(found, key=lambda told: told.day, reverse=True)

    def change(self, on: OnDevice) -> Told | None:
        """The change that matters most: of the last night with one, else of a gate."""
        return next((told for told in self.of(on) if told.is_change), None)

    def _add_trend(self, trend: Trend, address: str) -> None:
        subject = _Subject(trend.model, trend.device_uuid)
        for found in trend.findings:
            for one in (found, *found.members):
                if one.case:
                    self._of.setdefault(one.case, []).append((subject, _of_night(one, address)))

    def _add_gate(self, gate: Gate, address: str) -> None:
        subject = _Subject(gate.device.model, gate.device.uuid)
        title = gate_page.title(gate)
        for one in gate.verdicts:
            self._of.setdefault(one.case, []).append((subject, _of_gate(one, title, address)))


def _of_night(one: Finding, address: str) -> Told:
    words = " ".join(word for word in (one.words.kind, one.words.change) if word)
    colour = trend_page.colour_of(one)
    day = one.night.isoformat()
    return Told(words, one.summary, colour, address, one.ratio, not one.mode, day)


def _of_gate(one: Verdict, title: str, address: str) -> Told:
    words = " ".join(word for word in (one.words.verdict, one.words.change) if word)
    parts = (one.words.interval, one.words.why)
    said = f"{title}: {words}" + "".join(f", {part}" for part in parts if part)
    colour = gate_page.verdict_colour(one)
    return Told(words, said, colour, address, one.ratio, one.verdict not in _NO_CHANGE)
