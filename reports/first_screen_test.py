from __future__ import annotations

from typing import Any

from reports import (
    case_index,
    first_screen,
    load,
    overview_page,
    synthetic,
    synthetic_comparison,
    synthetic_gate,
    synthetic_history,
    synthetic_trend,
)
from reports.first_screen import Cell, FirstScreen, Line, RoofTable
from reports.model import Run
from reports.section import Section


def run_of(made: synthetic.Json) -> Run:
    return load.parse(synthetic.document(made)).runs[0]


def gate_of(*verdicts: synthetic.Json, **more: object) -> Section:
    document = synthetic.document()
    document["gates"] = [synthetic_gate.of(list(verdicts)) | more]
    return Section("gate", "gate-here", load.parse(document).gates[0], [])


def tree(n: int, **more: object) -> synthetic.Json:
    return synthetic.case(f"sums/tree/f32/n={n}", 5e4, bytes=256.0, **more)


def test_a_good_run_has_nothing_wrong() -> None:
    run = run_of(synthetic.run("synthetic-cpu-2c", "cpu", [tree(64)]))
    assert first_screen.wrong_in_run(run, "here") == []


def test_what_is_wrong_with_a_run_is_said_in_its_words() -> None:
    cases = [tree(64, outcome="crashed", reason="signal 11"), tree(67, outcome="unstable")]
    made = synthetic.run("synthetic-cpu-2c", "cpu", cases) | {"status": "killed"}
    lines = first_screen.wrong_in_run(run_of(made), "here")
    assert lines == [
        Line("synthetic-cpu-2c: 1 crashed, of 2 cases", "here", "bad"),
        Line("synthetic-cpu-2c: 1 unstable, of 2 cases", "here", "note"),
        Line("synthetic-cpu-2c: the run is killed", "here", "bad"),
    ]


def test_a_gate_is_wrong_when_a_case_is_slower_and_in_doubt_when_one_is_open() -> None:
    slower = synthetic_gate.verdict("gemm/a/f32/n=1", "regression", 0.1, 12)
    same = synthetic_gate.verdict("gemm/b/f32/n=1", "pass", 0.001, 12)
    unclear = synthetic_gate.verdict("gemm/c/f32/n=1", "undecided", 0.02, 60)
    bad, doubt = gate_of(slower, same), gate_of(same, unclear)
    assert [line.colour for line in first_screen.wrong_in_gate(bad)] == ["bad"]
    assert first_screen.wrong_in_gate(bad)[0].text.endswith(
        "on synthetic-cpu-2c: the gate fails: why"
    )
    assert [line.colour for line in first_screen.wrong_in_gate(doubt)] == ["note"]
    assert first_screen.wrong_in_gate(gate_of(same)) == []
    assert first_screen.changed_in_gate(bad).text.endswith(
        "on synthetic-cpu-2c: 1 regression, 1 pass"
    )


def test_what_strict_does_not_let_pass_is_no_silence() -> None:
    """A case that was skipped because memory did not suffice for both sides."""
    same, skipped = (
        synthetic_gate.verdict("gemm/a/f32/n=1", "pass", 0.0, 12),
        synthetic_gate.verdict("gemm/b/f32/n=1", "skipped"),
    )
    conclusions = [
        "2 cases: 1 pass, 1 skipped",
        "the gate is strict and does not pass: 1 of 2 cases was not judged",
    ]
    (line,) = first_screen.wrong_in_gate(
        gate_of(same, skipped, doubtful=True, conclusions=conclusions)
    )
    assert (line.colour, line.text.partition(": ")[2]) == ("note", conclusions[-1])


def test_the_worst_decides_the_colour() -> None:
    def colour(*colours: str) -> str:
        lines = tuple(Line("", "", colour) for colour in colours)
        return FirstScreen(lines, (), RoofTable(), ()).colour

    assert colour() == ""
    assert colour("note") == "doubt"
    assert colour("note", "bad") == "wrong"


def test_shares_stand_by_suite_and_device() -> None:
    faster = synthetic.case("sums/tree/f32/n=65", 4e4, bytes=256.0, share=0.9, roof="dram.read")
    one = synthetic.run("synthetic-a", "cpu", [tree(64, share=0.5, roof="dram.read"), faster])
    own = synthetic.case("gemm/naive/f32/m=64,n=64,k=64", 5e4, flops=524288.0, bytes=49152.0)
    other = synthetic.run("synthetic-b", "cpu", [own])
    sections = [Section("run", f"run-{at}", run_of(made)) for at, made in enumerate((one, other))]
    table = first_screen.run_roofs(sections)
    assert table.devices == (("synthetic-a", "run-0.html"), ("synthetic-b", "run-1.html"))
    assert [suite for suite, _ in table.rows] == ["sums", "gemm"]
    sums, gemm = (cells for _, cells in table.rows)
    assert sums == (Cell("90.0%", "dram.read", "tree f32", "run-0.html"), None)
    assert gemm[1] is not None
    assert gemm[1].share == ""


def past(*cases: synthetic.Json, kind: str = "cuda") -> synthetic.Json:
    """A history in which each of these cases has its latest result in a run of its own."""
    run = synthetic.run("synthetic-a", kind, [])
    made = synthetic_history.history(run, [], max(1, len(cases)))
    keys = ("name", "suite", "variant", "dtype", "problem", "options")
    made["cases"] = [
        {key: case[key] for key in keys} | {"latest": {"run": at, "case": case}}
        for at, case in enumerate(cases)
    ]
    return made


def index_of(*histories: synthetic.Json) -> case_index.CaseIndex:
    document = synthetic.document() | {"histories": list(histories)}
    return case_index.index_of(load.parse(document))


def gemm(variant: str, rate: float, **more: Any) -> synthetic.Json:
    name = f"gemm/{variant}/f32/m=64,n=64,k=64"
    return synthetic.case(name, 1e4, flops=rate * 1e-5, share=0.5, roof="fma.f32", **more)


def test_roofs_go_by_the_latest_result_of_each_case() -> None:
    beating = gemm("odd", 9e12) | {"beats_roof": True}
    of_roof = gemm("fill", 8e12, measures_roof="fma.f32")
    cases = (
        gemm("naive", 1e12),
        gemm("tiled", 3e12),
        gemm("wide", 5e12, outcome="unstable"),
        gemm("cublaslt", 6e12),
        beating,
        of_roof,
        tree(64, share=0.25, roof="dram.read"),
    )
    table = first_screen.latest_roofs(index_of(past(*cases)))
    assert table.devices == (("synthetic-a", "device-01.html"),)
    assert table.rows == (
        ("gemm", (Cell("50.0%", "fma.f32", "tiled f32", "cases/01.html#c2"),)),
        ("sums", (Cell("25.0%", "dram.read", "tree f32", "cases/01.html#c7"),)),
    )


def test_a_vendor_stands_for_a_suite_that_has_nothing_else() -> None:
    (row,) = first_screen.latest_roofs(index_of(past(gemm("cublaslt", 6e12)))).rows
    assert row[1][0].variant == "cublaslt f32"


def test_devices_stand_beside_each_other() -> None:
    other = past(gemm("tiled", 1e12))
    other["device"] = other["device"] | {"uuid": "synthetic-cuda-0002"}
    table = first_screen.latest_roofs(index_of(past(tree(64)), other))
    assert [name for name, _ in table.devices] == [
        "synthetic-a (synthetic-cuda-0001)",
        "synthetic-a (synthetic-cuda-0002)",
    ]
    assert [suite for suite, _ in table.rows] == ["sums", "gemm"]
    assert [[cell is None for cell in cells] for _, cells in table.rows] == [
        [False, True],
        [True, False],
    ]


def many_devices(count: int) -> list[synthetic.Json]:
    """Every other one has cases of two suites."""
    made = []
    for at in range(count):
        one = past(gemm("tiled", 1e12), *([tree(64)] if at % 2 == 0 else []))
        one["device"] = one["device"] | {"uuid": f"synthetic-cuda-{at:04}"}
        made.append(one)
    return made


def test_more_devices_than_there_is_room_for_are_listed() -> None:
    few, many = (first_screen.latest_roofs(index_of(*many_devices(count))) for count in (4, 5))
    assert not few.is_wide and many.is_wide
    names = {suite: [name[-5:-1] for name, _, _ in found] for suite, found in many.lists}
    assert names == {
        "gemm": ["0000", "0001", "0002", "0003", "0004"],
        "sums": ["0000", "0002", "0004"],
    }, "without those that have no case"
    assert [cell.share for _, found in many.lists for _, _, cell in found].count("50.0%") == 5


def test_what_is_wrong_with_latest_results_of_other_runs_is_told() -> None:
    crashed = synthetic.case("sums/odd/f32/n=1", outcome="crashed", reason="signal 11")
    made = past(
        tree(64), crashed, tree(67, outcome="unstable"), gemm("x", 1e12) | {"beats_roof": True}
    )
    lines = first_screen.first_screen([], index_of(made)).wrong
    assert [(line.text, line.colour) for line in lines] == [
        ("synthetic-a: 1 crashed, of 4 cases that only earlier runs have", "bad"),
        (
            "synthetic-a: 1 faster than the roof allows, which is a measuring error, of 4 cases "
            "that only earlier runs have",
            "bad",
        ),
        ("synthetic-a: 1 unstable, of 4 cases that only earlier runs have", "note"),
    ]
    assert {line.address for line in lines} == {"cases.html#device=synthetic-a"}


def test_a_device_that_gates_alone_have_measured_is_listed() -> None:
    gate = synthetic_gate.of([synthetic_gate.verdict("a/b/f32/n=1", "pass", 0.0, 12)])
    document = synthetic.document() | {"histories": [past(tree(64))], "gates": [gate, gate]}
    report = load.parse(document)
    sections = [Section("gate", "gate-here", one) for one in report.gates]
    listed = overview_page.devices(case_index.index_of(report), sections)
    model = gate["device"]["model"]
    assert [(one.name, one.address, one.runs) for one in listed] == [
        ("synthetic-a", "device-01.html", "1"),
        (model, "", "0"),
    ]


def test_one_case_is_no_cases() -> None:
    lines = first_screen.first_screen([], index_of(past(tree(64, outcome="unstable")))).wrong
    assert [line.text for line in lines] == [
        "synthetic-a: 1 unstable, of 1 case that only earlier runs have"
    ]


def test_what_a_run_of_the_document_says_is_not_told_twice() -> None:
    run = synthetic.run("synthetic-a", "cuda", [tree(64, outcome="unstable")])
    made = past(tree(64, outcome="unstable"))
    made["runs"][0]["id"] = run["id"]
    del made["cases"][0]["latest"]["case"]
    report = load.parse(synthetic.document(run) | {"histories": [made]})
    section = Section("run", "run-here", report.runs[0])
    lines = first_screen.first_screen([section], case_index.index_of(report)).wrong
    assert [line.address for line in lines] == ["run-here.html"]


def trend_of(made: synthetic.Json) -> Section:
    document = synthetic_trend.document(made)
    return Section("trend", "trend-here", load.parse(document).trends[0], [])


def test_nights_are_wrong_when_something_is_newly_worse_and_in_doubt_when_it_is_known() -> None:
    made = synthetic_trend.trend(24, 90)
    for list_of in ("changes", "drifts", "stopped", "fleet_events"):
        for one in made[list_of]:
            one["new"] = False
            for member in one.get("members", []):
                member["new"] = False
    known = first_screen.wrong_in_trend(trend_of(made))
    assert [line.colour for line in known] == ["note"] * 4, "two regressions, a drift and a stop"
    made["changes"][0] |= {"new": True, "mode": False, "kind": "regression"}
    lines = first_screen.wrong_in_trend(trend_of(made))
    assert [line.colour for line in lines] == ["bad"] + ["note"] * 3
    assert made["changes"][0]["case"] in lines[0].text


def test_quiet_nights_say_so() -> None:
    quiet = trend_of(synthetic_trend.quiet())
    assert first_screen.wrong_in_trend(quiet) == []
    assert (
        first_screen.changed_in_trend(quiet).text
        == "synthetic-gpu: the last nights: nothing changed"
    )


def test_two_runs_side_by_side_are_no_change() -> None:
    document = synthetic.document() | {"comparisons": [synthetic_comparison.comparison(12)]}
    section = Section("comparison", "there", load.parse(document).comparisons[0], [])
    first = first_screen.first_screen([section])
    assert first.changed == ()
    assert first.beside
    assert all(line.address == "there.html" for line in first.beside)
