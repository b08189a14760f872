"""Gates of workers that say themselves what code a case executes: the user decides whether that is
believed."""

import json
import sys
from pathlib import Path

import pytest

MINIMAL = Path(__file__).parents[1] / "worker" / "scripted" / "minimal_worker.py"


def worker(lab, name, code):
    text = MINIMAL.read_text().replace("#!/usr/bin/env python3", f"#!{sys.executable}")
    for old, new in (
        ('"code_hash": ""', f'"code_hash": "{name * 16}"'),
        ('"cases": [CASE]', f'"cases": [CASE | {{"code": {json.dumps(code)}}}]'),
        ("range(10000)", "range(10)"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    path = lab.folder / name
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("code", "believed", "same"),
    [
        ("6109", ["--believe-code"], True),
        ("6110", ["--believe-code"], False),
        ("", ["--believe-code"], False),
        ("6109", [], False),
    ],
)
def test_what_both_workers_call_the_same_is_left_out_where_they_are_believed(
    lab, code, believed, same
):
    baseline, candidate = worker(lab, "a", "6109"), worker(lab, "b", code)
    done = lab.execute(
        lab.command(
            *("gate", "sorting", "--device", "cpu", "--results", lab.results, "--json"),
            *("--baseline-worker", baseline, "--candidate-worker", candidate),
            *("--budget", "5s", "--delta", "90%", *believed),
        ),
        text=True,
    )
    document = json.loads(done.stdout)
    found = {verdict["verdict"] for verdict in document["verdicts"]}
    assert (found == {"same_code"}) == same, done.stderr
    if same:
        assert done.returncode == 0
        assert any("1 case has the same code on both sides" in note for note in document["notes"])


def test_a_code_that_is_no_text_is_refused(lab):
    baseline, candidate = worker(lab, "a", "6109"), worker(lab, "b", 6109)
    done = lab.execute(
        lab.command(
            *("gate", "sorting", "--device", "cpu", "--results", lab.results),
            *("--baseline-worker", baseline, "--candidate-worker", candidate),
        ),
        text=True,
    )
    assert done.returncode in (69, 70), done.stdout
    assert "code" in done.stderr
