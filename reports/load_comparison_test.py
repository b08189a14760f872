from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reports import load, synthetic, synthetic_comparison
from reports.load_test import expect_refused
from reports.model_comparison import CAUSES, ChangedMetric, Comparison, CountedCase, OneSided

Json = synthetic.Json
TIMES, COUNTS = 0, 1  # their places in the document


def document() -> Json:
    made = [synthetic_comparison.odd(), synthetic_comparison.counts(6)]
    return synthetic.document() | {"comparisons": made}


def parsed(made: Json) -> Comparison:
    return load.parse(synthetic.document() | {"comparisons": [made]}).comparisons[0]


def test_times_are_read_as_they_are_written() -> None:
    made = synthetic_comparison.odd()
    read = parsed(made)
    assert (read.a.model, read.a.id, read.b.label) == (
        "synthetic-small-gpu",
        "20261118T090000Z-aaaaaa",
        "tuned",
    )
    assert [one.case for one in read.cases] == [one["case"] for one in made["cases"]]
    for one, written in zip(read.cases, made["cases"], strict=True):
        for key in ("suite", "variant", "dtype", "measures_roof"):
            assert getattr(one, key) == written[key]
        for key in ("ratio", "ratio_low", "ratio_high", "work", "roofs_ratio"):
            assert getattr(one, key) == written.get(key)
        for key in ("cause", "not_compared", "roofs"):
            assert getattr(one, key) == written.get(key, "")
        for side, told in ((one.a, written["a"]), (one.b, written["b"])):
            for key in ("median_ns", "flops", "bytes"):
                assert getattr(side, key) == told.get(key)
            assert (side.roof, side.unsteady) == (told.get("roof", ""), told.get("unsteady", False))
    assert {one.cause for one in read.cases} == {"", *CAUSES}
    for suite, written in zip(read.suites, made["suites"], strict=True):
        for key in ("suite", "cases", "ratio", "lowest", "highest", "words"):
            assert getattr(suite, key) == written[key]
    assert read.one_sided[1] == OneSided(
        "gemm/naive/f32/n=512 cache=hot", "a", "the other side has gemm/naive/f32/n=512"
    )
    assert read.differences == synthetic_comparison.DIFFERENCES
    assert read.conclusions == ("12 cases compared", "nothing is explained")


def test_roofs_are_those_of_each_side() -> None:
    made = synthetic_comparison.comparison(1)
    del made["roofs"][0]["b"], made["roofs"][1]["a"]
    read = parsed(made)
    kinds = [
        [(roof.kind, roof.measured) for roof in roofs]
        for roofs in (read.roofs_of("a"), read.roofs_of("b"))
    ]
    assert ("dram.read", True) in kinds[0]
    assert ("dram.read", True) not in kinds[1]
    assert ("fma.f32", True) not in kinds[0]
    assert ("fma.f32", True) in kinds[1]
    assert (len(kinds[0]), len(kinds[1])) == (5, 5)
    assert [roof.value for roof in read.roofs_of("b") if roof.kind == "dram"] == [4.81e12]


def test_counts_are_read_as_they_are_written() -> None:
    read = parsed(synthetic_comparison.counts(6))
    assert (read.cases, read.suites, read.roofs) == ((), (), ())
    assert read.counted[3].changed[1:] == (
        ChangedMetric("atomics", "1", {"a": "0", "b": "12"}),
        ChangedMetric("bulk_bytes", "B", {"b": "4096"}),
    )
    assert read.counted[4] == CountedCase("coalescing/strided/f32/stride=5", "", True, ())
    assert read.counted[5].not_compared == "A: unsupported: needs sm_90"
    assert read.conclusions == ("5 cases compared",)


def test_a_document_without_comparisons_has_none() -> None:
    run = synthetic.run("synthetic", "cpu", [])
    assert load.parse(synthetic.document(run)).comparisons == ()


def _times(d: Json) -> Json:
    return d["comparisons"][TIMES]


def _case(d: Json) -> Json:
    return _times(d)["cases"][9]


def _counted(d: Json) -> Json:
    return d["comparisons"][COUNTS]["counted"][3]


WRONG: list[tuple[Callable[[Json], Any], str]] = [
    (lambda d: d.update(comparisons={}), "Expected `array`, got `object` - at `$.comparisons`"),
    (lambda d: d.update(comparisons=[3]), "Expected `object`, got `int` - at `$.comparisons[0]`"),
    (lambda d: _times(d).pop("a"), "Object missing required field `a` - at `$.comparisons[0]`"),
    (
        lambda d: _times(d)["b"].pop("model"),
        "Object missing required field `model` - at `$.comparisons[0].b`",
    ),
    (
        lambda d: _times(d)["b"].update(label=3),
        "Expected `str`, got `int` - at `$.comparisons[0].b.label`",
    ),
    (
        lambda d: _times(d).pop("differences"),
        "Object missing required field `differences` - at `$.comparisons[0]`",
    ),
    (
        lambda d: _times(d).update(differences=[1]),
        "Expected `str`, got `int` - at `$.comparisons[0].differences[0]`",
    ),
    (
        lambda d: _times(d).update(conclusions=[]),
        "Expected `array` of length >= 1 - at `$.comparisons[0].conclusions`",
    ),
    (
        lambda d: _times(d)["roofs"][0].update(a=0),
        "Expected `float` > 0.0 - at `$.comparisons[0].roofs[0].a`",
    ),
    (
        lambda d: _times(d)["roofs"][1].pop("unit"),
        "Object missing required field `unit` - at `$.comparisons[0].roofs[1]`",
    ),
    (
        lambda d: _case(d).pop("suite"),
        "Object missing required field `suite` - at `$.comparisons[0].cases[9]`",
    ),
    (
        lambda d: _case(d).pop("a"),
        "Object missing required field `a` - at `$.comparisons[0].cases[9]`",
    ),
    (
        lambda d: _case(d).update(measures_roof=1),
        "Expected `bool`, got `int` - at `$.comparisons[0].cases[9].measures_roof`",
    ),
    (
        lambda d: _case(d).update(ratio=0),
        "Expected `float` > 0.0 - at `$.comparisons[0].cases[9].ratio`",
    ),
    (
        lambda d: _case(d).update(ratio=float("nan")),
        "Expected `float` > 0.0 - at `$.comparisons[0].cases[9].ratio`",
    ),
    (
        lambda d: _case(d).update(ratio_low=-1),
        "Expected `float` > 0.0 - at `$.comparisons[0].cases[9].ratio_low`",
    ),
    (
        lambda d: _case(d).update(ratio_high=float("inf")),
        "Expected `float` <= 1.7976931348623157e+308 - at `$.comparisons[0].cases[9].ratio_high`",
    ),
    (
        lambda d: _case(d).update(roofs_ratio="1"),
        "Expected `float`, got `str` - at `$.comparisons[0].cases[9].roofs_ratio`",
    ),
    (
        lambda d: _case(d).update(work=10**400),
        "Number out of range - at `$.comparisons[0].cases[9].work`",
    ),
    (
        lambda d: _case(d).update(cause="luck"),
        "Invalid enum value 'luck' - at `$.comparisons[0].cases[9].cause`",
    ),
    (
        lambda d: _case(d)["b"].update(median_ns=0),
        "Expected `float` > 0.0 - at `$.comparisons[0].cases[9].b.median_ns`",
    ),
    (
        lambda d: _case(d)["b"].update(unsteady="yes"),
        "Expected `bool`, got `str` - at `$.comparisons[0].cases[9].b.unsteady`",
    ),
    (
        lambda d: _times(d)["suites"][0].update(ratio=0),
        "Expected `float` > 0.0 - at `$.comparisons[0].suites[0].ratio`",
    ),
    (
        lambda d: _times(d)["suites"][0].update(cases=-1),
        "Expected `int` >= 0 - at `$.comparisons[0].suites[0].cases`",
    ),
    (
        lambda d: _times(d)["suites"][1].pop("lowest"),
        "Object missing required field `lowest` - at `$.comparisons[0].suites[1]`",
    ),
    (
        lambda d: _times(d)["one_sided"][0].update({"in": "c"}),
        "Invalid enum value 'c' - at `$.comparisons[0].one_sided[0].in`",
    ),
    (
        lambda d: _counted(d).update(other_inputs=0),
        "Expected `bool`, got `int` - at `$.comparisons[1].counted[3].other_inputs`",
    ),
    (
        lambda d: _counted(d)["changed"][0].pop("metric"),
        "Object missing required field `metric` - at `$.comparisons[1].counted[3].changed[0]`",
    ),
]


@pytest.mark.parametrize(("break_it", "message"), WRONG, ids=[message for _, message in WRONG])
def test_what_is_wrong_is_named_with_its_place(
    break_it: Callable[[Json], Any], message: str
) -> None:
    expect_refused(document(), break_it, message)


def test_what_the_wrong_documents_were_made_of_is_right() -> None:
    assert len(load.parse(document()).comparisons) == 2
