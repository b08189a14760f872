from __future__ import annotations

import re
from pathlib import Path

from reports import synthetic_history, synthetic_hostile
from reports.page_test import quickly_written


def test_a_device_has_its_runs_environments_and_best_cases(tmp_path: Path) -> None:
    document = synthetic_history.document(4, 40)
    pages = quickly_written(tmp_path, document)
    shown = pages["device-01.html"]
    history = document["histories"][0]
    assert history["device"]["uuid"] in shown.text and "units" in shown.text
    assert "driver branch: 570 -> 580" in shown.text
    newest = [run["id"] for run in reversed(history["runs"])]
    assert re.findall(r"\d{8}T\d{6}Z-\w+", shown.text.partition("Runs")[2])[-30:] == newest[:30]
    assert "And 10 before these." in shown.text
    links = {one["href"] for one in shown.all("a")}
    assert {"cases.html#device=synthetic-h200", "run-synthetic-h200.html"} <= links
    assert all(one["name"] in shown.text for one in history["cases"]), "one of each suite"


def test_the_overview_and_cases_lead_to_it_and_suites_to_their_cases(tmp_path: Path) -> None:
    pages = quickly_written(tmp_path, synthetic_history.document(4, 5))
    overview = {one["href"] for one in pages["index.html"].all("a")}
    assert {
        "device-01.html",
        "cases.html#device=synthetic-h200",
        "cases.html#suite=gemm",
    } <= overview
    assert {"href": "../device-01.html"} in pages["cases/01.html"].all("a")


def test_hostile_words_of_a_device_stay_words(tmp_path: Path) -> None:
    document = synthetic_hostile.document(synthetic_history.document(2, 3))
    shown = quickly_written(tmp_path, document)["device-01.html"]
    assert len(shown.all("script")) == 1
    assert not shown.all("img")
