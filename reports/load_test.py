import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reports import load, synthetic

DOCS = Path(__file__).parents[1] / "docs" / "report-format.md"
Json = dict[str, Any]


def block(heading: str) -> Json:
    """The first JSON block below a heading of the page."""
    found = re.search(
        rf"^## {heading}\n.*?```json\n(.*?)```",
        DOCS.read_text(encoding="utf-8"),
        re.DOTALL | re.MULTILINE,
    )
    assert found
    return json.loads(found[1])


def example() -> Json:
    parts = {
        "gates": "a gate",
        "trends": "nights",
        "comparisons": "a comparison",
        "claims": "claims",
    }
    return block("Example") | {
        key: [block(f"Example of {heading}")] for key, heading in parts.items()
    }


def test_the_documented_example_is_read() -> None:
    report = load.parse(example())
    run, counting = report.runs
    crashed, tiled = run.cases
    assert (run.device.model, run.seed) == ("synthetic-gpu", 7)
    assert (crashed.outcome, crashed.median_ns, crashed.measured) == ("crashed", None, False)
    assert "signal 11" in run.troubles[0].groups[0].reason
    assert (tiled.outcome, tiled.processes, tiled.measured) == ("ok", 3, True)
    assert tiled.median_ns == 40000
    assert tiled.interval_ns is not None
    assert tiled.interval_ns[0] < 40000 < tiled.interval_ns[1]
    assert tiled.flop_rate == pytest.approx(2 * 64**3 / 40e-6)
    assert (tiled.field("m"), tiled.metric("sectors_per_request")) == (64, 4)
    assert (tiled.words["samples"], tiled.words["rate"]) == ("3 + 3 + 3", "13.1 GFLOP/s")
    assert tiled.explanation is not None
    assert tiled.explanation.words.conclusion.startswith("Nothing is at its limit")
    cells = tiled.explanation.usages[0].words
    assert cells[0] == "cores" and cells[-1] == "fma.f32, a synthetic datasheet"
    assert crashed.explanation is None
    (best,) = run.best
    assert (best.suite, best.words["variant"], best.words["roof"]) == (
        "gemm",
        "tiled f32",
        "fma.f32",
    )
    assert "uncommitted" in run.warnings[0]
    roof = run.roof("dram", measured=True)
    assert roof is not None
    assert roof.value == 4e9
    assert run.builds[0].dirty
    assert not run.counted
    assert counting.counted
    counted, unsupported = counting.cases
    assert (counted.outcome, counted.measured, counted.metric("barriers")) == ("counted", False, 2)
    load_, store = counted.sites
    assert (load_.line, load_.requests, load_.sectors, load_.sectors_needed) == (17, 128, 512, 512)
    assert (store.access, store.wavefronts_needed, store.sectors_needed) == (
        "shared store",
        64,
        None,
    )
    assert (store.share, store.words["wavefronts"], store.wasteful) == (1, "1.00", False)
    assert (
        counting.source(counted, load_.file).text
        == "// A row of text for each line that a site names.\n"
    )
    assert (counted.words["error"], crashed.words) == ("1e-07 / 1e-05", {})
    assert unsupported.sites == ()


def test_the_documented_nights_are_read() -> None:
    (trend,) = load.parse(example()).trends
    assert (trend.model, trend.nights, len(trend.dates), trend.fails) == (
        "synthetic-gpu",
        5,
        5,
        True,
    )
    assert [(one.kind, one.fails, one.mode) for one in trend.findings] == [
        ("regression", True, False),
        ("stopped", True, False),
        ("drift", False, False),
        ("environment", False, True),
    ]
    change, stop, drift, event = trend.findings
    assert (change.night.isoformat(), change.before) == ("2026-01-03", 400)
    assert change.ratio == pytest.approx(1.1025)
    assert change.confirm.startswith("ridgeline gate --device")
    assert event.changes.environment == ("driver 580.1 -> 580.2",)
    assert event.members[0].mode
    assert (drift.night.isoformat(), drift.ratio, stop.night.day) == ("2026-01-01", 1.02, 2)
    assert trend.environments[0].changed == ("power_limit_w 300 -> 350",)
    assert [(series.nights, series.values[-1]) for series in trend.series] == [
        ([0, 1], 501),
        ([0], 1000),
        ([1, 2, 4], 1200),
        ([1, 2, 3, 4], 442),
    ]


def test_the_documented_comparison_is_read() -> None:
    (comparison,) = load.parse(example()).comparisons
    assert (comparison.a.model, comparison.b.model) == ("synthetic-a", "synthetic-b")
    assert comparison.conclusions[0] == "1 case of 1 suite compared"
    (case,) = comparison.cases
    assert (case.suite, case.variant, case.cause, case.roofs) == (
        "gemm",
        "tiled",
        "distance",
        "measured",
    )
    assert (case.a.flops, case.a.roof) == (5e5, "dram.copy")
    assert [roof.value for roof in (*comparison.roofs_of("a"), *comparison.roofs_of("b"))] == [
        1e12,
        2e12,
    ]
    assert comparison.suites[0].cases == 1
    assert [(one.case.split("/")[1], one.side) for one in comparison.one_sided] == [("own", "a")]


def test_keys_that_are_not_known_are_ignored() -> None:
    document = example()
    document["later"] = document["runs"][0]["cases"][0]["later"] = {"x": None}
    assert load.parse(document).runs


def test_invented_documents_are_of_the_format() -> None:
    report = load.parse(synthetic.document(synthetic.gpu(), synthetic.cpu()))
    assert all(run.device.model.startswith("synthetic-") for run in report.runs)


def _case(document: Json) -> Json:
    return document["runs"][0]["cases"][1]


def _counted(document: Json) -> Json:
    return document["runs"][1]["cases"][0]


WRONG: list[tuple[Callable[[Json], Any], str]] = [
    (lambda d: d.pop("format"), "Object missing required field `format`"),
    (lambda d: d.update(format="other"), "format is 'other'"),
    (lambda d: d.update(version=1), "version 1"),
    (lambda d: d.update(version="1"), "Expected `int`, got `str` - at `$.version`"),
    (
        lambda d: d.update(runs=[], gates=[], trends=[], comparisons=[]),
        "runs is empty, and there are no gates",
    ),
    (lambda d: d.update(runs={}), "Expected `array`, got `object` - at `$.runs`"),
    (lambda d: d.update(runs=[3]), "Expected `object`, got `int` - at `$.runs[0]`"),
    (
        lambda d: d["runs"][0].pop("device"),
        "Object missing required field `device` - at `$.runs[0]`",
    ),
    (
        lambda d: d["runs"][0]["device"].update(properties={"x": 1}),
        "Expected `str`, got `int` - at `$.runs[0].device.properties[...]`",
    ),
    (
        lambda d: d["runs"][0]["roofs"][0].update(value=0),
        "Expected `float` > 0.0 - at `$.runs[0].roofs[0].value`",
    ),
    (
        lambda d: _case(d).update(median_ns="fast"),
        "Expected `float`, got `str` - at `$.runs[0].cases[1].median_ns`",
    ),
    (
        lambda d: _case(d).update(median_ns=-1),
        "Expected `float` > 0.0 - at `$.runs[0].cases[1].median_ns`",
    ),
    (
        lambda d: _case(d).update(median_ns=True),
        "Expected `float`, got `bool` - at `$.runs[0].cases[1].median_ns`",
    ),
    (
        lambda d: _case(d).update(median_ns=float("inf")),
        "Expected `float` <= 1.7976931348623157e+308 - at `$.runs[0].cases[1].median_ns`",
    ),
    (
        lambda d: _case(d).update(flops=None),
        "Expected `float`, got `null` - at `$.runs[0].cases[1].flops`",
    ),
    (
        lambda d: _case(d).update(flops=10**400),
        "Number out of range - at `$.runs[0].cases[1].flops`",
    ),
    (
        lambda d: _case(d).update(interval_ns=[2.0, 1.0]),
        "interval_ns: expected the lower end first - at `$.runs[0].cases[1]`",
    ),
    (
        lambda d: _case(d).pop("median_ns"),
        "interval_ns: an interval without a median - at `$.runs[0].cases[1]`",
    ),
    (
        lambda d: [_case(d).pop(key) for key in ("interval_ns", "median_ns")],
        "explanation: of a case without a time - at `$.runs[0].cases[1]`",
    ),
    (
        lambda d: _case(d)["explanation"].update(conclusion="slow"),
        "Invalid enum value 'slow' - at `$.runs[0].cases[1].explanation.conclusion`",
    ),
    (
        lambda d: _case(d)["explanation"]["usages"][0]["words"].pop(),
        "Expected `array` of length 6, got 5 - at `$.runs[0].cases[1].explanation.usages[0].words`",
    ),
    (
        lambda d: _case(d).update(state="great"),
        "Invalid enum value 'great' - at `$.runs[0].cases[1].state`",
    ),
    (
        lambda d: _case(d).update(outcome=["ok"]),
        "Expected `str`, got `array` - at `$.runs[0].cases[1].outcome`",
    ),
    (
        lambda d: _case(d).update(beats_roof=0),
        "Expected `bool`, got `int` - at `$.runs[0].cases[1].beats_roof`",
    ),
    (
        lambda d: _case(d)["metrics"][0].update(value="x"),
        "Expected `float`, got `str` - at `$.runs[0].cases[1].metrics[0].value`",
    ),
    (
        lambda d: _counted(d)["sites"][0].update(sectors=2**63),
        "Expected `int` <= 9223372036854775807 - at `$.runs[1].cases[0].sites[0].sectors`",
    ),
    (
        lambda d: _counted(d)["sites"][0].update(requests=-1),
        "Expected `int` >= 0 - at `$.runs[1].cases[0].sites[0].requests`",
    ),
    (
        lambda d: _counted(d)["sites"][1].update(requests=0.5),
        "Expected `int`, got `float` - at `$.runs[1].cases[0].sites[1].requests`",
    ),
    (
        lambda d: _counted(d)["sites"][0].pop("file"),
        "Object missing required field `file` - at `$.runs[1].cases[0].sites[0]`",
    ),
    (
        lambda d: _counted(d)["sites"][0].update(sectors_needed=0),
        "Expected `float` > 0.0 - at `$.runs[1].cases[0].sites[0].sectors_needed`",
    ),
    (
        lambda d: _counted(d).update(sources=[1]),
        "cases[0].sources: expected places below 1 - at `$.runs[1]`",
    ),
    (
        lambda d: _counted(d).update(sources=[-1]),
        "Expected `int` >= 0 - at `$.runs[1].cases[0].sources[0]`",
    ),
    (
        lambda d: _counted(d).update(sources=[True]),
        "Expected `int`, got `bool` - at `$.runs[1].cases[0].sources[0]`",
    ),
    (
        lambda d: _counted(d).update(sites_left_out={"sites": 3}),
        "Object missing required field `requests` - at `$.runs[1].cases[0].sites_left_out`",
    ),
    (
        lambda d: _counted(d).update(processes_differ=1),
        "Expected `bool`, got `int` - at `$.runs[1].cases[0].processes_differ`",
    ),
    (
        lambda d: _counted(d).update(median_ns=3.0),
        "median_ns: a time of a case that was counted - at `$.runs[1].cases[0]`",
    ),
    (
        lambda d: _counted(d).update(outcome="unavailable"),
        "sites: sites of a case that was not counted - at `$.runs[1].cases[0]`",
    ),
    (
        lambda d: d["runs"][1]["sources"][0].update(text=3),
        "Expected `str`, got `int` - at `$.runs[1].sources[0].text`",
    ),
    (
        lambda d: d["runs"][1]["sources"][0].pop("text"),
        "expected `text` or `bytes` - at `$.runs[1].sources[0]`",
    ),
    (
        lambda d: d["runs"][0]["device"].update(kind="emulated"),
        "cases[1]: a time of a device that has none: gemm/tiled/f32/m=64,n=64,k=64 - at "
        "`$.runs[0]`",
    ),
]


def expect_refused(document: Json, break_it: Callable[[Json], Any], message: str) -> None:
    """Once it is broken."""
    broken = copy.deepcopy(document)
    break_it(broken)
    with pytest.raises(load.InputError) as error:
        load.parse(broken)
    assert message in str(error.value)


@pytest.mark.parametrize(("break_it", "message"), WRONG, ids=[message for _, message in WRONG])
def test_what_is_wrong_is_named_with_its_place(
    break_it: Callable[[Json], Any], message: str
) -> None:
    expect_refused(example(), break_it, message)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"format": NaN}',
        '{"format": "ridgeline-report", "version": Infinity}',
        "[" * 100_000,
    ],
    ids=["empty", "half", "list", "null", "nan", "infinity", "deep"],
)
def test_files_that_are_no_document_are_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "report.json"
    file.write_text(text)
    with pytest.raises(load.InputError, match=r"report\.json"):
        load.load(file)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_bytes(b"\xff\xfe{}")
    with pytest.raises(load.InputError, match="cannot read"):
        load.load(file)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain <b> \N{SNOWMAN}", "plain <b> \N{SNOWMAN}"),
        ("a\nb\tc", "a\nb\tc"),
        ("a\x00\x1b[31m", "a\ufffd\ufffd[31m"),
        ("\u202egnp.exe", "\ufffdgnp.exe"),
        ("\ud800", "\ufffd"),
    ],
)
def test_unseen_characters_are_replaced(text: str, expected: str) -> None:
    assert load.clean(text) == expected


def test_endless_text_is_cut() -> None:
    assert len(load.clean("x" * 1_000_000)) < 30_000


def test_text_is_cleaned_wherever_it_stands() -> None:
    document = example()
    _case(document).update(outcome="a\r\nb\r", problem={"k\x00": "\x1b"}, roof="x" * 1_000_000)
    document["runs"][1]["sources"][0]["text"] = "x\r\n" * 50_000
    document["trends"][0]["limits"] = ["\u202e"]
    report = load.parse(document)
    case, (source,) = report.runs[0].cases[1], report.runs[1].sources
    assert (case.outcome, case.problem, len(case.roof)) == (
        "a\nb\ufffd",
        {"k\ufffd": "\ufffd"},
        20_001,
    )
    assert source.text == "x\n" * 50_000
    assert report.trends[0].limits == ("\ufffd",)


def test_a_long_value_does_not_hide_its_place() -> None:
    document = example()
    _case(document).update(state="x" * 1_000_000)
    with pytest.raises(load.InputError) as error:
        load.parse(document)
    assert len(str(error.value)) < 500
    assert str(error.value).endswith("at `$.runs[0].cases[1].state`")
