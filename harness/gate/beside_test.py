"""What both sides say of a case beside its times: told, and without a say in the verdict."""

import json
import sys
from pathlib import Path

import pytest

MINIMAL = Path(__file__).parents[1] / "worker" / "scripted" / "minimal_worker.py"


@pytest.fixture
def sides(lab):
    """Makes a worker whose `metrics` is an expression of Python, for each side."""

    def make(name, metrics):
        text = MINIMAL.read_text().replace("#!/usr/bin/env python3", f"#!{sys.executable}")
        for old, new in (
            ('"code_hash": ""', f'"code_hash": "{name * 16}"'),
            ("range(10000)", "range(10)"),
            ('            "prepare_ns": 0,', f'            "prepare_ns": 0, "metrics": {metrics},'),
        ):
            assert text.count(old) == 1
            text = text.replace(old, new)
        path = lab.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    return lambda baseline, candidate: (make("a", baseline), make("b", candidate))


def metric(name, value, unit="1", direction="lower"):
    """As an expression."""
    text = f"'name': {name!r}, 'value': {value}, 'unit': {unit!r}, 'direction': {direction!r}"
    return "{" + text + "}"


def test_what_changed_exactly_is_told_and_decides_nothing(lab, sides):
    baseline, candidate = sides(
        f"[{metric('registers', 40)}, {metric('memory_bytes', 4096, 'B')}, "
        f"{metric('luck', 'random.random()')}, {metric('energy', 0.5, 'J')}]",
        f"[{metric('registers', 48)}, {metric('memory_bytes', 4096, 'B')}, "
        f"{metric('luck', 'random.random()')}, {metric('energy', '1 + random.random()', 'J')}]",
    )
    command = lab.command(
        *("gate", "sorting", "--device", "cpu", "--results", lab.results, "--seed", "3"),
        *("--baseline-worker", baseline, "--candidate-worker", candidate),
        *("--budget", "30s", "--delta", "90%", "--json"),
    )
    done = lab.execute(command, text=True)
    (verdict,) = json.loads(done.stdout)["verdicts"]
    assert verdict["verdict"] in ("pass", "undecided"), done.stdout
    found = {each["name"]: each for each in verdict["beside"]}
    assert sorted(found) == ["energy", "luck", "memory_bytes", "registers"]
    assert found["registers"] == {
        "name": "registers",
        "unit": "1",
        "direction": "lower",
        "exact": True,
        "baseline": 40,
        "candidate": 48,
    }
    assert (found["memory_bytes"]["exact"], found["luck"]["exact"]) == (True, False)
    told = verdict["words"]["why"].split("beside times: ")[1]
    assert told.startswith("energy 0.5 -> 1.") and told.endswith(" J, registers 40 -> 48")
    # What is shown later says the same.
    shown = lab.execute(
        lab.command("show", "--results", lab.results, "latest", "--json"), text=True
    )
    (again,) = json.loads(shown.stdout)["verdicts"]
    assert (again["beside"], again["words"]) == (verdict["beside"], verdict["words"])


def test_what_is_equal_is_not_told(lab, sides):
    baseline, candidate = sides(*2 * [f"[{metric('registers', 40)}]"])
    command = lab.command(
        *("gate", "sorting", "--device", "cpu", "--results", lab.results, "--seed", "3"),
        *("--baseline-worker", baseline, "--candidate-worker", candidate),
        *("--budget", "30s", "--delta", "90%"),
    )
    done = lab.execute(command, text=True)
    assert "1 case" in done.stdout
    assert "beside times" not in done.stdout
