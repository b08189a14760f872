from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reports import gate_page, load, synthetic, synthetic_gate, write
from reports.figures import forest
from reports.load_test import DOCS
from reports.model_gate import Gate
from reports.page_test import HOSTILE, Page, small

Json = synthetic.Json


def parsed(gate: Json) -> Gate:
    return load.parse(synthetic.document() | {"gates": [gate]}).gates[0]


def page_of(folder: Path, runs: list[Json], gates: list[Json]) -> Page:
    file = write.write(load.parse(synthetic.document(*runs) | {"gates": gates}), folder)
    return Page(file.read_text(encoding="utf-8"))


def of(*verdicts: Json) -> Json:
    return synthetic_gate.gate(0) | {"verdicts": list(verdicts), "cases": len(verdicts)}


def example() -> Json:
    block = re.search(r"```json\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert block
    return json.loads(block[1])


def test_the_documented_gate_is_read() -> None:
    (gate,) = load.parse(example()).gates
    assert (gate.mode, gate.baseline, gate.candidate, gate.device.model) == ("refs", "main", "HEAD", "synthetic-gpu")
    slower, crashed = gate.verdicts
    assert (slower.verdict, slower.ratio, slower.ratio_low, slower.ratio_high) == ("regression", 1.1, 1.08, None)
    assert [(pair.baseline_first, bool(pair.dropped)) for pair in slower.rounds] == [(True, False), (False, True)]
    assert (crashed.verdict, crashed.ratio, crashed.rounds) == ("crashed", None, ())


def test_counts_are_told_by_metric_and_values_without_times() -> None:
    numbers = {"ratio", "ratio_low", "ratio_high", "baseline_ns", "candidate_ns", "p_value", "level", "noise"}
    plain = {key: value for key, value in example()["gates"][0]["verdicts"][0].items() if key not in numbers}
    worse = plain | {
        "metric": "sectors",
        "baseline_value": 1048576,
        "candidate_value": 1048577,
        "pairs": 0,
        "dropped": 0,
    }
    worse |= {"ratio": 1048577 / 1048576, "rounds": [], "delta": 0}
    atomics = worse | {"case": "gemm/other/f32", "metric": "atomics", "baseline_value": 0, "candidate_value": 1}
    del atomics["ratio"]
    gate = parsed(of(worse, atomics))
    lines = [gate_page.line(verdict) for verdict in gate.verdicts]
    assert [(one.baseline, one.candidate) for one in lines] == [("1048576", "1048577"), ("0", "1")]
    assert all((one.interval, one.pairs, one.noise) == ("", "", "") for one in lines)
    assert [one.why.split(";")[0] for one in lines] == ["sectors", "atomics"]
    assert forest.pages(gate) == []


def test_a_document_without_gates_has_none() -> None:
    document = example()
    del document["gates"]
    assert load.parse(document).gates == ()


def _verdict(document: Json) -> Json:
    return document["gates"][0]["verdicts"][0]


WRONG: list[tuple[Callable[[Json], Any], str]] = [
    (lambda d: d.update(gates={}), "Expected `array`, got `object` - at `$.gates`"),
    (lambda d: d["gates"][0].update(mode="both"), "Invalid enum value 'both' - at `$.gates[0].mode`"),
    (lambda d: d["gates"][0].update(alpha=0), "Expected `float` > 0.0 - at `$.gates[0].alpha`"),
    (lambda d: d["gates"][0].pop("device"), "Object missing required field `device` - at `$.gates[0]`"),
    (lambda d: _verdict(d).update(verdict="fine"), "Invalid enum value 'fine' - at `$.gates[0].verdicts[0].verdict`"),
    (lambda d: _verdict(d).update(ratio=0), "Expected `float` > 0.0 - at `$.gates[0].verdicts[0].ratio`"),
    (lambda d: _verdict(d).update(ratio=float("nan")), "Expected `float` > 0.0 - at `$.gates[0].verdicts[0].ratio`"),
    (lambda d: _verdict(d).pop("ratio"), "ratio: expected a number within its interval - at `$.gates[0].verdicts[0]`"),
    (
        lambda d: _verdict(d).update(ratio_low=1.2),
        "ratio: expected a number within its interval - at `$.gates[0].verdicts[0]`",
    ),
    (
        lambda d: _verdict(d)["rounds"][0].update(baseline_ns=0),
        "Expected `float` > 0.0 - at `$.gates[0].verdicts[0].rounds[0].baseline_ns`",
    ),
    (
        lambda d: _verdict(d)["rounds"][0].update(round=-1),
        "Expected `int` >= 0 - at `$.gates[0].verdicts[0].rounds[0].round`",
    ),
]


@pytest.mark.parametrize(("break_it", "message"), WRONG, ids=[f"{at}-{text}" for at, (_, text) in enumerate(WRONG)])
def test_what_is_wrong_is_named_with_its_place(break_it: Callable[[Json], Any], message: str) -> None:
    document = example()
    break_it(document)
    with pytest.raises(load.InputError) as error:
        load.parse(document)
    assert message in str(error.value)


def test_every_verdict_stands_in_the_table(tmp_path: Path) -> None:
    gates = [synthetic_gate.gate(40), synthetic_gate.odd()]
    page = page_of(tmp_path, [small()], gates)
    for gate in gates:
        for one in gate["verdicts"]:
            assert one["case"] in page.text
            assert one.get("reason", "") in page.text
    assert "HEAD against main" in page.text
    assert page.text.count("gate 20261120T13") == 2, "the contents name both"
    assert [link["href"] for link in page.all("a")][-3:] == [f"#{section['id']}" for section in page.all("section")]
    names = {file.name for file in (tmp_path / "figures").iterdir()}
    assert len(names) == len(page.all("img"))
    assert {"synthetic-cpu-2c-1-forest.png", "synthetic-cpu-2c-1-forest-2.png", "synthetic-cpu-2c-2-pairs.png"} < names


def test_a_gate_alone_has_a_page_and_old_pictures_go(tmp_path: Path) -> None:
    page_of(tmp_path, [], [synthetic_gate.gate(40)])
    assert {"forest.png", "forest-2.png"} < {file.name for file in (tmp_path / "figures").iterdir()}
    page = page_of(tmp_path, [], [synthetic_gate.gate(3, mode="runs")])
    assert [file.name for file in (tmp_path / "figures").iterdir()] == ["forest.png"]
    assert "machines drift" in page.text


def test_hostile_names_are_text_and_nothing_else(tmp_path: Path) -> None:
    verdict = synthetic_gate.verdict(HOSTILE, "regression", 0.1, 8, HOSTILE) | {"expectation": HOSTILE}
    verdict["rounds"][0]["dropped"] = verdict["baseline_case"] = HOSTILE + "2"
    gate = of(verdict, synthetic_gate.verdict(HOSTILE + "3", "crashed", None, 0, HOSTILE))
    for key in ("id", "status", "baseline", "candidate", "baseline_run", "command_line", "rules_text", "started"):
        gate[key] = HOSTILE
    gate["device"] |= {"model": HOSTILE}
    page = page_of(tmp_path, [], [gate, gate])
    assert not page.all("script")
    assert all((image["src"] or "").startswith("data:image/svg+xml;base64,") for image in page.all("img"))
    assert not [key for _, attributes in page.elements for key in attributes if key.startswith("on")]
    assert "<script>alert(1)</script>" in page.text
    assert all(file.parent == tmp_path / "figures" for file in tmp_path.rglob("*.png"))


def made(kind: str, change: float | None = None, **more: object) -> Json:
    return synthetic_gate.verdict(f"a/b/f32/n={kind}", kind, change, 12) | more


EXPECTED = {"expected": True, "expectation": "more digits"}


@pytest.mark.parametrize(
    ("gate", "colour", "conclusion"),
    [
        (of(made("pass", 0.0)), "", "No case was shown to be slower."),
        (of(made("pass", 0.0), made("improvement", -0.1)), "", "No case was shown to be slower."),
        (
            of(made("pass", 0.0), made("undecided", 0.02)),
            "doubt",
            "No case was shown to be slower; 1 of 2 cases was not judged.",
        ),
        (of(made("pass", 0.0), made("regression", 0.1)), "wrong", "The candidate is slower."),
        (
            of(made("pass", 0.0), made("regression", 0.1, **EXPECTED)),
            "",
            "No case was shown to be slower that is not expected to be.",
        ),
        (of(made("pass", 0.0, expectation="more digits")), "wrong", "A regression that the rules expect was not seen."),
        (of(made("pass", 0.0), made("crashed")), "wrong", "A worker crashed."),
        (
            of(made("regression", 0.1), made("wrong_result")),
            "wrong",
            "A result is wrong; the candidate is slower.",
        ),
        (
            of(made("pass", 0.0), made("skipped"), made("new")),
            "",
            "No case was shown to be slower; 2 of 3 cases were not judged.",
        ),
        (of(made("pass", 0.0), made("missing")), "wrong", "A case is missing."),
        (of(made("undecided", 0.02)), "doubt", "Nothing could be decided."),
        (of(made("skipped"), made("new")), "doubt", "Nothing could be decided."),
        (of(), "doubt", "Nothing could be decided."),
        (of(made("pass", 0.0)) | {"status": "interrupted"}, "wrong", "The gate is interrupted"),
    ],
)
def test_the_conclusion_is_no_pass_because_something_is_missing(gate: Json, colour: str, conclusion: str) -> None:
    read = parsed(gate)
    assert gate_page.colour(read) == colour
    assert gate_page.conclusion(read).startswith(conclusion)


def test_numbers_in_words() -> None:
    undecided = synthetic_gate.verdict("a/b/f32/n=1", "undecided", 0.02, 12, "unsteady")
    del undecided["ratio_high"]
    undecided |= {
        "ratio": 1.032,
        "ratio_low": 0.99,
        "dropped": 2,
        "smallest_effect": 0.047,
        "baseline_case": "a/c/f32/n=1",
    }
    read = parsed(of(undecided))
    line = gate_page.line(read.verdicts[0])
    assert (line.change, line.interval, line.delta) == ("+3.20%", "-1.00% to no bound", "3.0%")
    assert (line.pairs, line.baseline, line.against) == ("12 (2 dropped)", "100 us", "a/c/f32/n=1")
    assert line.why == "unsteady; about 4.7% could have been found; p 0.2, level 1e-05"
    assert gate_page.counts(read) == "1 undecided"
    both = parsed(of(made("regression", 0.1, **EXPECTED), made("regression", 0.2), made("pass", 0.0)))
    assert gate_page.counts(both) == "2 regression (1 expected), 1 pass"
