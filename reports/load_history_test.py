"""Histories of cases: what is accepted of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reports import load, synthetic, synthetic_counts, synthetic_history
from reports.load_test import expect_refused

Json = synthetic.Json


def small() -> Json:
    return synthetic_history.document(4, 5)


def _case(document: Json) -> Json:
    return document["histories"][0]["cases"][1]


def test_a_history_is_read() -> None:
    made = small()
    report = load.parse(made)
    (history,) = report.histories
    assert report.commits == synthetic_history.COMMITS
    assert (history.device.model, len(history.runs), len(history.cases)) == ("synthetic-h200", 5, 4)
    case, told = history.cases[0], made["histories"][0]["cases"][0]
    assert case.name == told["name"]
    assert list(case.median_ns) == told["median_ns"]
    assert [history.runs[one.run].id for one in case.samples.runs][-1] == report.runs[0].id
    assert case.latest.case is None, "it is the run's"


def test_a_document_without_histories_has_none() -> None:
    report = load.parse(synthetic.document(synthetic.run("synthetic-none", "cpu", [])))
    assert (report.histories, report.commits) == ((), "")


def test_a_counted_device_has_latest_results_alone() -> None:
    run = synthetic_counts.run()
    case = run["cases"][0]
    keys = ("name", "suite", "variant", "dtype", "problem", "options")
    past = {key: case[key] for key in keys} | {"latest": {"run": 0, "case": case}}
    of = synthetic_history.history(run, [], 1)
    made = synthetic.document() | {"histories": [of | {"cases": [past]}]}
    (history,) = load.parse(made).histories
    assert history.counted
    assert history.cases[0].latest.case.counted
    past |= {"runs": [[0, 0]], "median_ns": [1.0], "below_ns": [0.0], "above_ns": [0.0]}
    with pytest.raises(load.InputError, match="times of a device that has none"):
        load.parse(made)


WRONG: list[tuple[Callable[[Json], Any], str]] = [
    (lambda d: _case(d)["median_ns"].pop(), "median_ns: expected 5, one per run, got 4"),
    (lambda d: _case(d)["below_ns"].append(1.0), "below_ns: expected 5, one per run, got 6"),
    (lambda d: _case(d)["median_ns"].__setitem__(2, None), "Expected `float`, got `null`"),
    (lambda d: _case(d)["above_ns"].__setitem__(2, -1e12), "above_ns: expected an end of an"),
    (lambda d: _case(d)["below_ns"].__setitem__(2, 1e12), "below_ns: expected an end of an"),
    (lambda d: _case(d).update(runs=[[0, 2], [2, 4]]), "runs: expected each once, ascending"),
    (lambda d: _case(d).update(runs=[[3, 4], [0, 2]]), "runs: expected each once, ascending"),
    (lambda d: _case(d).update(runs=[[4, 0]]), "runs: expected each once, ascending"),
    (lambda d: _case(d).update(runs=[[1, 5]]), "cases[1]: expected places of runs below 5"),
    (lambda d: _case(d).update(runs=[[-1, 3]]), "Expected `int` >= 0"),
    (lambda d: _case(d).update(runs=[[0, 2**60]]), "Expected `int` <= 9999"),
    (
        lambda d: _case(d).update(doubted=[{"run": 5, "outcome": "unstable"}]),
        "cases[1]: expected places of runs below 5",
    ),
    (lambda d: _case(d)["unsteady"].append(5), "cases[1]: expected places of runs below 5"),
    (lambda d: _case(d).update(without_interval=[5]), "cases[1]: expected places of runs below 5"),
    (
        lambda d: _case(d)["without"].append({"run": 7, "outcome": "crashed"}),
        "cases[1]: expected places of runs below 5",
    ),
    (lambda d: _case(d)["latest"].update(run=5), "cases[1]: expected places of runs below 5"),
    (lambda d: _case(d)["latest"].update(run=0), "cases[1].latest: run 2026"),
    (lambda d: _case(d).pop("latest"), "missing required field `latest`"),
    (
        lambda d: _case(d)["latest"].update(case=d["runs"][0]["cases"][0]),
        "latest.case: another case than",
    ),
    (
        lambda d: _case(d)["samples"]["runs"][0].update(run=5),
        "cases[1]: expected places of runs below 5",
    ),
    (
        lambda d: _case(d)["samples"]["runs"][0].update(counts=[]),
        "Expected `array` of length >= 1",
    ),
    (
        lambda d: _case(d)["samples"]["runs"][0].update(first=48),
        "counts: expected no more than 48 bins",
    ),
    (
        lambda d: _case(d)["samples"]["runs"][0]["counts"].__setitem__(3, -1),
        "Expected `int` >= 0",
    ),
    (lambda d: _case(d)["samples"].update(high_ns=1e-9), "high_ns: expected no less than low_ns"),
    (
        lambda d: d["histories"][0]["runs"][0].update(environment=1),
        "runs[0].environment: expected a place below 1",
    ),
    (lambda d: d.update(commits="javascript:alert(1)//"), "commits: expected an address"),
    (lambda d: d.update(commits='https://x/"onclick='), "commits: expected an address"),
    (lambda d: d.update(commits="https://x/\n"), "commits: expected an address"),
]


@pytest.mark.parametrize(("break_it", "message"), WRONG, ids=[str(at) for at in range(len(WRONG))])
def test_what_is_wrong_is_named(break_it: Callable[[Json], Any], message: str) -> None:
    document = small()
    document["histories"][0]["environments"] = document["histories"][0]["environments"][:1]
    for run in document["histories"][0]["runs"]:
        run["environment"] = 0
    load.parse(document)
    expect_refused(document, break_it, message)


def test_text_in_a_history_is_cleaned() -> None:
    document = small()
    document["histories"][0]["runs"][0]["label"] = "\u202egnp"
    _case(document)["repeat"] = "a\x1b[31m"
    (history,) = load.parse(document).histories
    assert history.runs[0].label == "\ufffdgnp"
    assert history.cases[1].repeat == "a\ufffd[31m"


def test_lists_of_numbers_are_taken_as_they_are() -> None:
    numbers, mixed = [1, 2.5], [1, "\u202e"]
    assert load._cleaned(numbers, 9) is numbers
    assert load._cleaned(mixed, 9) == [1, "\ufffd"]
