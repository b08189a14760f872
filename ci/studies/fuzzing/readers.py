"""Everything that the Python programs read back, each with small documents of its own and with what
is done with a document that it accepts."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from ci.night import context, document, finding, github, lock, preflight, record, steps
from ci.night import summary as night_summary
from ci.studies.calibration import examples, journal, study, table
from ci.studies.calibration import summary as study_summary
from reports import (
    case_index,
    compared,
    figures,
    listing,
    load,
    page,
    synthetic,
    synthetic_comparison,
    synthetic_counts,
    synthetic_gate,
    synthetic_history,
    synthetic_trend,
)
from reports.console import harmless
from reports.section import Section


class Wrong(Exception):
    """A document was accepted, and what was made of it is not what it has to be."""


@dataclass(frozen=True)
class Reader:
    """`read` returns whether the document was accepted; whatever it throws is a finding."""

    name: str
    seeds: Callable[[], Iterable[bytes]]
    read: Callable[[bytes], bool]


def _json(*documents: Any) -> list[bytes]:
    return [json.dumps(one).encode() for one in documents]


def _file(data: bytes, folder: str, name: str) -> Path:
    path = Path(folder) / name
    path.write_bytes(data)
    return path


# A record of a night, its summary and its annotations.

_RUN = {
    **{"id": "20261121T020000Z-815fbc", "started": "2026-11-21T02:00:01Z", "status": "finished"},
    **{"label": "nightly", "model": "synthetic-fake", "device_uuid": "FAKE-0"},
    **{"measurements": 2, "outcomes": {"ok": 1, "crashed": 1}},
}
_OPTIONS = {
    **{"profile": "smoke", "label": "nightly", "device": "", "baseline": "main", "config": ""},
    **{"strict": False, "github": True, "without": ["trend"], "export": ["jsonl"]},
}
_FINDING = {"check": "disk", "level": "unfit", "seen": "1 GiB", "why": "it fills", "do": "free it"}
_STEP = {"state": "done", "exit_code": 0, "seconds": 1.5, "started": "", "command": "a b"}
_NIGHT = {
    **{"format": record.FORMAT, "version": record.VERSION, "id": "20261121T020000Z-000001"},
    **{"started": "2026-11-21T02:00:00Z", "host": "runner", "command": "ci/nightly"},
    **{"state": "finished", "finished": "2026-11-21T03:00:00Z", "exit_code": 2},
    "preflight": [{"device": "cpu", "fit": False, "findings": [_FINDING], "looked_at": {}}],
    "steps": [
        {**_STEP, "name": "run", "exit_code": 2, "said": "1 crashed"},
        {**_STEP, "name": "gate", "state": "left out", "said": ""},
    ],
    "options": _OPTIONS,
    "run": _RUN,
    "problems": [{"case": "a/b/f32/n=1", "outcome": "crashed", "reason": "signal 11"}],
    "gate": {"id": "x", "counts": {"pass": 1}, "failing": []},
    "notes": ["a note"],
}


def _read_night(data: bytes) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        _file(data, folder, "night.json")
        try:
            night = record.load(Path(folder))
        except document.Odd:
            return False
        if not night:
            return False
        lines = night_summary.markdown(night).split("\n")
        lines += [line.removeprefix("::") for line in github.annotations(night)]
        if odd := [line for line in lines if harmless(line) != line]:
            raise Wrong(f"a line is not harmless: {odd[0][:100]!r}")
        night.save()
        if record.load(Path(folder)) != night:
            raise Wrong("a night is not read back as it was written")
        return True


# JSON of the programs.

_DEVICE = {"id": "cuda:0", "kind": "cuda", "name": "X", "uuid": "GPU-0", "recorded": {"host": "h"}}
_VERDICT = {"case": "a/b/f32/n=1", "verdict": "regression", "reason": "", "ratio": 1.1}
_ANSWERS = {
    "devices": (preflight.Devices, {"ridgeline_json": 2, "devices": [_DEVICE]}),
    "doctor": (preflight.Diagnosis, {"findings": [_FINDING]}),
    "runs": (context.Runs, {"ridgeline_json": 2, "runs": [_RUN], "gates": []}),
    "cases": (steps.Cases, {"cases": [{"case": "a", "outcome": "ok", "reason": ""}]}),
    "baselines": (steps.Baselines, {"baselines": [{"name": "main", "model": "m", "run": _RUN}]}),
    "verdicts": (steps.Verdicts, {"gate": {"id": "x"}, "verdicts": [{**_VERDICT, "fails": True}]}),
}


def _answer(name: str) -> Reader:
    kind, example = _ANSWERS[name]

    def read(data: bytes) -> bool:
        try:
            found = document.decode(data.decode(errors="replace"), kind)
        except document.Odd:
            return False
        if name == "devices":
            for device in found["devices"]:
                finding.Preflight(f"{device['id']} ({device['name']})").text()
        return True

    return Reader(name, lambda: _json(example), read)


def _read_lock(data: bytes) -> bool:
    return "pid" in lock.described(data.decode(errors="replace"))


# Journals of studies, their summaries and tables.


def _journal() -> list[bytes]:
    gates = [
        examples.gate("quiet", 0, ("pass", "regression")),
        examples.gate("busy", 0, ("undecided", "pass")),
        examples.gate("power", 5, ("regression", "pass")),
        examples.tails("--slow-samples 0.05:2", ("tail", "pass")),
        examples.one(1, ("pass", "regression")),
    ]
    for case in (case for gate in gates for case in gate["cases"]):
        for side in ("baseline", "candidate"):
            case[side] = [samples[:3] for samples in case[side][:2]]
    return [b"\n".join(_json(examples.study(), *gates)) + b"\n"]


def _read_journal(data: bytes) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        try:
            kept = journal.read(_file(data, folder, "study.jsonl"))
        except journal.JournalError:
            return False
    try:
        summary = study_summary.summarise(kept)
    except ValueError:
        return False
    table.markdown(study.finite(summary))
    json.dumps(study.finite(summary), allow_nan=False)
    return True


# Documents of reports, their pages and figures.


def _reports() -> list[bytes]:
    few = [synthetic.case(f"gemm/naive/f32/m={n},n={n},k={n}", 1000.0 * n) for n in (16, 32)]
    run = synthetic.run("synthetic-x", "cpu", few, [synthetic.roof("dram.read", 1e9)])
    of_one = {"runs": []}
    whole = synthetic.document(run)
    return _json(
        whole,
        synthetic.document(synthetic_counts.run()),
        {**whole, **of_one, "gates": [synthetic_gate.gate(3)]},
        {**whole, **of_one, "gates": [synthetic_gate.odd()]},
        synthetic_trend.document(synthetic_trend.odd()),
        synthetic_trend.document(synthetic_trend.counted(2, 5)),
        synthetic_history.document(2, 4),
        {
            **whole,
            **of_one,
            "comparisons": [synthetic_comparison.odd(), synthetic_comparison.counts(3)],
        },
    )


def _sections(report: load.Report) -> list[Section]:
    found = []
    for at, run in enumerate(report.runs):
        kind = "counted" if run.counted else "run"
        pages = listing.pages(run, "") if run.counted else []
        found.append(Section(kind, f"run-{at}", run, listings=pages))
    found += [Section("gate", f"gate-{at}", gate) for at, gate in enumerate(report.gates)]
    found += [Section("trend", f"nights-{at}", trend) for at, trend in enumerate(report.trends)]
    for at, comparison in enumerate(report.comparisons):
        compared.title(comparison)
        found.append(Section("comparison", f"comparison-{at}", comparison))
    return found


def _loaded(data: bytes) -> load.Report | None:
    with tempfile.TemporaryDirectory() as folder:
        try:
            return load.load(_file(data, folder, "report.json"))
        except load.InputError as refusal:
            if len(str(refusal)) > 2000:
                raise Wrong("a refusal of more than 2000 letters") from refusal
            return None


def _read_report(data: bytes) -> bool:
    report = _loaded(data)
    if report is None:
        return False
    site = page.Site(report, _sections(report), case_index.index_of(report))
    texts = [one.text() for one in site.pages()]
    texts += [site.listing_text(one, of) for of in site.sections for one in of.listings]
    if any("<script>alert" in text for text in texts):
        raise Wrong("markup of a document is markup of a page")
    return True


def _read_figures(data: bytes) -> bool:
    """Slower than the other readers by far."""
    report = _loaded(data)
    if report is None:
        return False
    for run in report.runs:
        for kind in figures.kinds("run"):
            _draw(kind.draw, run)
    for of, subjects in (
        ("gate", report.gates),
        ("trend", report.trends),
        ("comparison", report.comparisons),
    ):
        for subject in subjects:
            for kind in figures.kinds(of):
                for one in kind.pages(subject)[:2]:
                    _draw(kind.draw, one)
    return True


def _draw(draw: Callable[..., Any], subject: Any) -> None:
    figure = Figure(figsize=(4, 3))
    FigureCanvasAgg(figure)
    if draw(subject, figure) is not False:
        figure.draw_without_rendering()


READERS = {
    reader.name: reader
    for reader in (
        Reader("night", lambda: _json(_NIGHT), _read_night),
        *map(_answer, _ANSWERS),
        Reader("lock", lambda: _json({"pid": 1, "host": "h", "started": "t"}), _read_lock),
        Reader("journal", _journal, _read_journal),
        Reader("report", _reports, _read_report),
        Reader("figures", _reports, _read_figures),
    )
}
