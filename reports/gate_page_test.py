from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reports import gate_page, load, render, synthetic, synthetic_gate
from reports.figures import forest
from reports.load_test import DOCS, example, expect_refused
from reports.model_gate import Gate
from reports.page_test import HOSTILE, Page, small, written

Json = synthetic.Json


def parsed(gate: Json) -> Gate:
    return load.parse(synthetic.document() | {"gates": [gate]}).gates[0]


def pages_of(folder: Path, runs: list[Json], gates: list[Json]) -> dict[str, Page]:
    return written(folder, synthetic.document(*runs) | {"gates": gates})


def page_of(folder: Path, gate: Json) -> Page:
    """Of a gate alone."""
    pages = pages_of(folder, [], [gate])
    (found,) = [name for name in pages if name.startswith("gate-")]
    return pages[found]


def of(*verdicts: Json, **said: object) -> Json:
    return synthetic_gate.of(list(verdicts)) | said


def test_the_documented_gate_is_read() -> None:
    (gate,) = load.parse(example()).gates
    facts = gate.facts
    assert (facts.mode, facts.baseline, facts.candidate, gate.device.model) == (
        "refs",
        "main",
        "HEAD",
        "synthetic-gpu",
    )
    assert gate.fails
    assert gate.conclusions == (
        "2 cases: 1 regression, 1 crashed",
        "the gate fails: a worker crashed; the candidate is slower",
    )
    slower, crashed = gate.verdicts
    assert (slower.verdict, slower.ratio, slower.ratio_low, slower.ratio_high) == (
        "regression",
        1.1,
        1.08,
        None,
    )
    assert (slower.words.change, slower.words.interval) == ("+10.0%", "[+8.0%, no bound]")
    assert (slower.words.pairs, slower.words.baseline) == ("1 (1 dropped)", "40.0 us")
    assert [(pair.first, bool(pair.dropped)) for pair in slower.rounds] == [
        ("baseline", False),
        ("candidate", True),
    ]
    assert slower.rounds[0].log_ratio == pytest.approx(math.log(1.1))
    assert (crashed.verdict, crashed.ratio, crashed.rounds) == ("crashed", None, ())
    assert crashed.words.why == "candidate: killed by signal 11 (Segmentation fault)"


def test_counts_are_told_by_metric_and_values_without_times(tmp_path: Path) -> None:
    worse = synthetic_gate.verdict("gemm/some/f32", "regression") | {
        "metric": "sectors",
        "ratio": 2.0,
    }
    worse["words"] |= {"baseline": "1048576", "candidate": "2097152", "ratio": "2", "delta": "0%"}
    atomics = synthetic_gate.verdict("gemm/other/f32", "regression") | {"metric": "atomics"}
    atomics["words"] |= {"baseline": "0", "candidate": "1"}
    counts = of(worse, atomics, gives="counts")
    text = page_of(tmp_path, counts).text
    for said in ("sectors", "1048576", "2097152", "atomics", "Allowed"):
        assert said in text
    for said in ("95% interval", "Pairs", "Noise", "slower", "Alpha"):
        assert said not in text
    assert forest.pages(parsed(counts)) == []


def test_a_document_without_gates_has_none() -> None:
    document = synthetic.document(small())
    assert load.parse(document).gates == ()


def _verdict(document: Json) -> Json:
    return document["gates"][0]["verdicts"][0]


WRONG: list[tuple[Callable[[Json], Any], str]] = [
    (lambda d: d.update(gates={}), "Expected `array`, got `object` - at `$.gates`"),
    (
        lambda d: d["gates"][0]["gate"].update(mode="both"),
        "Invalid enum value 'both' - at `$.gates[0].gate.mode`",
    ),
    (
        lambda d: d["gates"][0]["gate"].update(alpha=0),
        "Expected `float` > 0.0 - at `$.gates[0].gate.alpha`",
    ),
    (
        lambda d: d["gates"][0].pop("device"),
        "Object missing required field `device` - at `$.gates[0]`",
    ),
    (
        lambda d: _verdict(d).update(verdict="fine"),
        "Invalid enum value 'fine' - at `$.gates[0].verdicts[0].verdict`",
    ),
    (
        lambda d: _verdict(d).update(ratio=0),
        "Expected `float` > 0.0 - at `$.gates[0].verdicts[0].ratio`",
    ),
    (
        lambda d: _verdict(d).update(ratio=float("nan")),
        "Expected `float` > 0.0 - at `$.gates[0].verdicts[0].ratio`",
    ),
    (
        lambda d: _verdict(d).pop("ratio"),
        "ratio: expected a number within its interval - at `$.gates[0].verdicts[0]`",
    ),
    (
        lambda d: _verdict(d).update(ratio_low=1.2),
        "ratio: expected a number within its interval - at `$.gates[0].verdicts[0]`",
    ),
    (
        lambda d: d["gates"][0].update(conclusions=[]),
        "Expected `array` of length >= 1 - at `$.gates[0].conclusions`",
    ),
    (
        lambda d: _verdict(d).pop("words"),
        "Object missing required field `words` - at `$.gates[0].verdicts[0]`",
    ),
    (
        lambda d: _verdict(d)["rounds"][0].update(log_ratio=float("inf")),
        "Expected `float` <= 1.7976931348623157e+308 - at "
        "`$.gates[0].verdicts[0].rounds[0].log_ratio`",
    ),
    (
        lambda d: _verdict(d)["rounds"][0].update(round=-1),
        "Expected `int` >= 0 - at `$.gates[0].verdicts[0].rounds[0].round`",
    ),
]


@pytest.mark.parametrize(
    ("break_it", "message"), WRONG, ids=[f"{at}-{text}" for at, (_, text) in enumerate(WRONG)]
)
def test_what_is_wrong_is_named_with_its_place(
    break_it: Callable[[Json], Any], message: str
) -> None:
    expect_refused(example(), break_it, message)


def test_every_verdict_stands_in_the_table(tmp_path: Path) -> None:
    gates = [synthetic_gate.gate(40), synthetic_gate.odd()]
    pages = pages_of(tmp_path, [small()], gates)
    own = [pages[f"gate-synthetic-cpu-2c{number}.html"] for number in ("", "-2")]
    for gate, page in zip(gates, own, strict=True):
        for one in gate["verdicts"]:
            assert one["case"] in page.text
            assert one.get("reason", "") in page.text
    overview = pages["index.html"]
    assert "HEAD against main" in overview.text
    assert overview.text.count("gate 20261120T13") == 2, "the contents name both"
    assert overview.links[-2:] == ["gate-synthetic-cpu-2c.html", "gate-synthetic-cpu-2c-2.html"]
    names = {file.name for file in (tmp_path / "figures").glob("*.png")}
    assert len(names) == sum(len(page.all("img")) for page in pages.values())
    assert {
        "synthetic-cpu-2c-1-forest.png",
        "synthetic-cpu-2c-1-forest-2.png",
        "synthetic-cpu-2c-2-pairs.png",
    } < names


def test_a_gate_alone_has_a_page_and_old_pictures_go(tmp_path: Path) -> None:
    page_of(tmp_path, synthetic_gate.gate(40))
    assert {"forest.png", "forest-2.png"} < {file.name for file in (tmp_path / "figures").iterdir()}
    page = page_of(tmp_path, synthetic_gate.gate(3, mode="runs"))
    assert {file.name for file in (tmp_path / "figures").iterdir()} == {
        f"forest.{one}" for one in render.FORMATS
    }
    assert "machines drift" in page.text


def test_hostile_names_are_text_and_nothing_else(tmp_path: Path) -> None:
    verdict = synthetic_gate.verdict(HOSTILE, "regression", 0.1, 8, HOSTILE)
    verdict["rounds"][0]["dropped"] = HOSTILE
    verdict["words"] = dict.fromkeys(verdict["words"], HOSTILE) | {
        "against": HOSTILE,
        "ratio": HOSTILE,
    }
    gate = of(
        verdict,
        synthetic_gate.verdict(HOSTILE + "3", "crashed", None, 0, HOSTILE),
        conclusions=[HOSTILE] * 2,
    )
    for key in (
        "id",
        "status",
        "baseline",
        "candidate",
        "baseline_run",
        "command_line",
        "rules_text",
        "started",
    ):
        gate["gate"][key] = HOSTILE
    gate["device"] |= {"model": HOSTILE}
    pages = pages_of(tmp_path, [], [gate, gate])
    assert len(pages) == 3
    for page in pages.values():
        page.expect_text_only()
    assert all(file.parent == tmp_path / "figures" for file in tmp_path.rglob("*.png"))


def test_the_page_says_what_the_gate_said(tmp_path: Path) -> None:
    """Of one with each verdict and with each state of an expectation."""
    gate = json.loads(
        (DOCS.parents[1] / "harness/present/golden/gate.json").read_text(encoding="utf-8")
    )
    text = page_of(tmp_path, gate).text
    for verdict in gate["verdicts"]:
        for said in (*verdict["words"].values(), load.clean(verdict["case"])):
            assert said in text
    counts, *_, last = gate["conclusions"]
    assert all(gate_page.sentence(said) in text for said in gate["conclusions"])
    assert text.index(gate_page.sentence(last)) < text.index(gate_page.sentence(counts)), (
        "what it comes to is first"
    )


@pytest.mark.parametrize(
    ("fails", "doubtful", "colour"),
    [(False, False, ""), (False, True, "doubt"), (True, False, "wrong"), (True, True, "wrong")],
)
def test_a_failure_is_red_and_a_doubt_is_not_green(
    fails: bool, doubtful: bool, colour: str
) -> None:
    assert gate_page.colour(parsed(of(fails=fails, doubtful=doubtful))) == colour


def test_a_verdict_that_fails_is_red_whatever_it_is() -> None:
    kept = synthetic_gate.verdict("a", "regression", 0.1, 12) | {"fails": False}
    gone = synthetic_gate.verdict("b", "pass", 0.0, 12) | {"fails": True}
    same, left_out = (
        synthetic_gate.verdict("c", "pass", 0.0, 12),
        synthetic_gate.verdict("d", "skipped"),
    )
    colours = [
        gate_page.verdict_colour(one) for one in parsed(of(kept, gone, same, left_out)).verdicts
    ]
    assert colours == ["note", "bad", "good", "note"]
