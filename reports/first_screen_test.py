from __future__ import annotations

from reports import (
    first_screen,
    load,
    synthetic,
    synthetic_comparison,
    synthetic_gate,
    synthetic_trend,
)
from reports.first_screen import Line
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
        return first_screen.FirstScreen(lines, (), (), ()).colour

    assert colour() == ""
    assert colour("note") == "doubt"
    assert colour("note", "bad") == "wrong"


def test_shares_stand_by_suite_and_device() -> None:
    faster = synthetic.case("sums/tree/f32/n=65", 4e4, bytes=256.0, share=0.9, roof="dram.read")
    one = synthetic.run("synthetic-a", "cpu", [tree(64, share=0.5, roof="dram.read"), faster])
    own = synthetic.case("gemm/naive/f32/m=64,n=64,k=64", 5e4, flops=524288.0, bytes=49152.0)
    other = synthetic.run("synthetic-b", "cpu", [own])
    table = first_screen.roof_table([run_of(one), run_of(other)])
    assert [suite for suite, _ in table] == ["sums", "gemm"]
    sums, gemm = (cells for _, cells in table)
    assert sums[0] is not None
    best = (sums[0]["share"], sums[0]["roof"], sums[0]["variant"])
    assert best == ("90.0%", "dram.read", "tree f32")
    assert sums[1] is None
    assert gemm[1] is not None
    assert "share" not in gemm[1]


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
    assert all(line.anchor == "there" for line in first.beside)
