from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from reports import load, synthetic, synthetic_comparison
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
    assert (read.a.model, read.a.id, read.b.label) == ("synthetic-small-gpu", "20261118T090000Z-aaaaaa", "tuned")
    assert [one.case for one in read.cases] == [one["case"] for one in made["cases"]]
    for one, written in zip(read.cases, made["cases"], strict=True):
        for key in ("suite", "variant", "dtype", "measures_roof"):
            assert getattr(one, key) == written[key]
        for key in ("ratio", "ratio_low", "ratio_high", "work", "roofs_ratio", "rest"):
            assert getattr(one, key) == written.get(key)
        for key in ("cause", "because", "not_compared", "roofs"):
            assert getattr(one, key) == written.get(key, "")
        for side, told in ((one.a, written["a"]), (one.b, written["b"])):
            for key in ("outcome", "processes"):
                assert getattr(side, key) == told[key]
            for key in ("median_ns", "flops", "bytes", "share_of_roof", "sm_clock_mhz"):
                assert getattr(side, key) == told.get(key)
            assert (side.reason, side.roof) == (told.get("reason", ""), told.get("roof", ""))
            assert side.disturbed == told.get("disturbed", False)
    assert {one.cause for one in read.cases} == {"", *CAUSES}
    for suite, written in zip(read.suites, made["suites"], strict=True):
        for key in ("suite", "cases", "ratio", "lowest", "highest", "a_processes", "unstable", "disturbed"):
            assert getattr(suite, key) == written[key]
    assert read.one_sided[1] == OneSided(
        "gemm/naive/f32/n=512 cache=hot", "a", "the other side has gemm/naive/f32/n=512"
    )
    assert read.differences == synthetic_comparison.DIFFERENCES
    assert read.compared == 11


def test_roofs_are_those_of_each_side() -> None:
    made = synthetic_comparison.comparison(1)
    del made["roofs"][0]["b"], made["roofs"][1]["a"]
    read = parsed(made)
    kinds = [[(roof.kind, roof.measured) for roof in roofs] for roofs in (read.a_roofs, read.b_roofs)]
    assert ("dram.read", True) in kinds[0]
    assert ("dram.read", True) not in kinds[1]
    assert ("fma.f32", True) not in kinds[0]
    assert ("fma.f32", True) in kinds[1]
    assert (len(kinds[0]), len(kinds[1])) == (5, 5)
    assert [roof.value for roof in read.b_roofs if roof.kind == "dram"] == [4.81e12]


def test_counts_are_read_as_they_are_written() -> None:
    read = parsed(synthetic_comparison.counts(6))
    assert (read.cases, read.suites, read.a_roofs, read.b_roofs) == ((), (), (), ())
    assert read.counted[3].changed[1:] == (
        ChangedMetric("atomics", "1", 0.0, 12.0, None),
        ChangedMetric("bulk_bytes", "B", None, 4096.0, None),
    )
    assert read.counted[4] == CountedCase("coalescing/strided/f32/stride=5", "", 21, True, ())
    assert read.counted[5].not_compared == "A: unsupported: needs sm_90"
    assert read.compared == 5


def test_a_document_without_comparisons_has_none() -> None:
    run = synthetic.run("synthetic", "cpu", [])
    assert load.parse(synthetic.document(run)).comparisons == ()


def _times(d: Json) -> Json:
    return d["comparisons"][TIMES]


def _case(d: Json) -> Json:
    return _times(d)["cases"][9]


def _counted(d: Json) -> Json:
    return d["comparisons"][COUNTS]["cases"][3]


WRONG: list[tuple[Callable[[Json], Any], str]] = [
    (lambda d: d.update(comparisons={}), "comparisons: expected a list"),
    (lambda d: d.update(comparisons=[3]), "comparisons[0]: expected an object, got 3"),
    (lambda d: _times(d).pop("gives"), "comparisons[0].gives: expected one of times, counts, got nothing"),
    (lambda d: _times(d).update(gives="verdicts"), "comparisons[0].gives: expected one of times, counts"),
    (lambda d: _times(d).pop("a"), "comparisons[0].a: expected an object"),
    (lambda d: _times(d)["b"].pop("model"), "comparisons[0].b.model: expected a string, got nothing"),
    (lambda d: _times(d)["b"].update(label=3), "comparisons[0].b.label: expected a string, got 3"),
    (lambda d: _times(d).pop("differences"), "comparisons[0].differences: expected a list of strings"),
    (lambda d: _times(d).update(differences=[1]), "comparisons[0].differences: expected a list of strings"),
    (lambda d: _times(d).pop("cases"), "comparisons[0].cases: expected a list, got nothing"),
    (lambda d: _times(d).pop("roofs"), "comparisons[0].roofs: expected a list, got nothing"),
    (lambda d: _times(d)["roofs"][0].update(a=0), "comparisons[0].roofs[0].a: expected a finite number above 0"),
    (lambda d: _times(d)["roofs"][1].pop("unit"), "comparisons[0].roofs[1].unit: expected a string"),
    (lambda d: _case(d).pop("suite"), "comparisons[0].cases[9].suite: expected a string"),
    (lambda d: _case(d).pop("a"), "comparisons[0].cases[9].a: expected an object"),
    (lambda d: _case(d).update(measures_roof=1), "cases[9].measures_roof: expected true or false, got 1"),
    (lambda d: _case(d).update(ratio=0), "comparisons[0].cases[9].ratio: expected a finite number above 0, got 0"),
    (lambda d: _case(d).update(ratio=float("nan")), "cases[9].ratio: expected a finite number above 0, got nan"),
    (lambda d: _case(d).update(ratio_low=-1), "cases[9].ratio_low: expected a finite number above 0"),
    (lambda d: _case(d).update(ratio_high=float("inf")), "cases[9].ratio_high: expected a finite number above 0"),
    (lambda d: _case(d).update(roofs_ratio="1"), "cases[9].roofs_ratio: expected a finite number above 0, got '1'"),
    (lambda d: _case(d).update(work=10**400), "cases[9].work: expected a finite number above 0"),
    (
        lambda d: _case(d).update(cause="luck"),
        "cases[9].cause: expected one of hardware, distance, environment, unknown",
    ),
    (lambda d: _case(d)["a"].update(outcome="fine"), "comparisons[0].cases[9].a.outcome: expected one of ok, unstable"),
    (lambda d: _case(d)["b"].update(median_ns=0), "cases[9].b.median_ns: expected a finite number above 0"),
    (lambda d: _case(d)["b"].update(processes=2.5), "cases[9].b.processes: expected a whole number from 0"),
    (lambda d: _case(d)["b"].update(disturbed="yes"), "cases[9].b.disturbed: expected true or false"),
    (lambda d: _case(d)["b"].update(share_of_roof=-0.1), "cases[9].b.share_of_roof: expected a finite number from 0"),
    (
        lambda d: _times(d)["suites"][0].update(ratio=0),
        "comparisons[0].suites[0].ratio: expected a finite number above 0",
    ),
    (lambda d: _times(d)["suites"][0].update(cases=-1), "suites[0].cases: expected a whole number from 0, got -1"),
    (lambda d: _times(d)["suites"][1].pop("lowest"), "suites[1].lowest: expected a finite number above 0, got nothing"),
    (lambda d: _times(d)["one_sided"][0].update({"in": "c"}), "comparisons[0].one_sided[0].in: expected one of a, b"),
    (lambda d: _counted(d).pop("equal_counts"), "comparisons[1].cases[3].equal_counts: expected a whole number"),
    (lambda d: _counted(d).pop("changed"), "comparisons[1].cases[3].changed: expected a list, got nothing"),
    (lambda d: _counted(d).update(other_inputs=0), "comparisons[1].cases[3].other_inputs: expected true or false"),
    (lambda d: _counted(d)["changed"][0].pop("metric"), "comparisons[1].cases[3].changed[0].metric: expected a string"),
    (lambda d: _counted(d)["changed"][0].update(a="many"), "cases[3].changed[0].a: expected a finite number"),
]


@pytest.mark.parametrize(("break_it", "message"), WRONG, ids=[message for _, message in WRONG])
def test_what_is_wrong_is_named_with_its_place(break_it: Callable[[Json], Any], message: str) -> None:
    broken = copy.deepcopy(document())
    break_it(broken)
    with pytest.raises(load.InputError) as error:
        load.parse(broken)
    assert message in str(error.value)


def test_what_the_wrong_documents_were_made_of_is_right() -> None:
    assert len(load.parse(document()).comparisons) == 2
