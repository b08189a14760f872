"""The real `ridgeline` on Python files of cases."""

import json
import os
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
SCALE = """import ridgeline as rl

@rl.case(shapes={"n": [SIZE]}, dtypes=["f32"], devices="cpu", cache="hot")
def scale(n, dtype, device):
    x = rl.uniform(n, dtype, device)
    return lambda: WORK, rl.expect(lambda: x.numpy() * 2)
"""
TIMED = ("ok", "unstable", "invalid_environment")


@pytest.fixture
def own(lab):
    lab.environment["RIDGELINE_PYTHON"] = sys.executable
    lab.environment["RIDGELINE_RESULTS"] = str(lab.results)

    def write(name, work="x * 2", size="1 << 14"):
        text = SCALE.replace("WORK", work).replace("SIZE", size)
        (lab.folder / name).write_text(text)

    lab.write = write
    lab.quick = ("--profile", lab.profile(budget="400s", case_timeout="200s"), "--quiet")
    return lab


def call(lab, *arguments):
    return lab.call(*arguments, text=True, timeout=500)


def test_a_file_is_listed_run_shown_and_repeated_like_a_suite(own):
    own.write("mine.py")
    listed = json.loads(call(own, "list", "mine.py", "--json").stdout)
    assert [case["name"] for case in listed["cases"]] == ["scale/scale/f32/n=16384,cache=hot"]
    known = call(own, "list", "--worker", "mine.py", "scale", "--json", "--profile", "quick")
    assert known.returncode == 0, known.stderr
    assert json.loads(known.stdout)["cases"] == listed["cases"]

    ran = call(own, "run", "mine.py", "--processes", "2", "--json", *own.quick)
    assert ran.returncode == 0, ran.stderr
    cases = json.loads(ran.stdout)["cases"]
    assert [case["case"] for case in cases] == ["scale/scale/f32/n=16384,cache=hot"]
    assert cases[0]["outcome"] in TIMED

    shown = call(own, "show", "latest", "mine.py")
    assert "run --worker mine.py --processes 2" in shown.stdout, shown
    assert shown.stdout.count("scale/scale") >= 1
    assert "n=16384" in call(own, "history", "mine.py").stdout
    trend = json.loads(call(own, "trend", "mine.py", "--json", "--series").stdout)
    assert "scale/scale/f32/n=16384,cache=hot" in json.dumps(trend)
    again = call(own, "run", "--repeat-of", "latest", "mine.py", "--quiet")
    assert again.returncode == 0, again.stderr
    text = call(own, "report", "--text")
    assert text.returncode == 0, text.stderr


def test_a_gate_pairs_two_files(own):
    own.write("old.py", "x * 2")
    own.write("new.py", "sum(x * 0.01 for _ in range(200))")
    gate = call(
        own,
        *("gate", "--baseline-worker", "old.py", "--candidate-worker", "new.py"),
        *("--budget", "8s", "--json", *own.quick),
    )
    verdict = json.loads(gate.stdout)["verdicts"][0]
    assert verdict["case"] == "scale/scale/f32/n=16384,cache=hot"
    assert verdict["verdict"] in ("regression", "undecided", "invalid_environment"), verdict
    if verdict["verdict"] == "regression":
        assert gate.returncode == 1 and verdict["ratio"] > 2

    own.write("new.py", "x * 2.01")
    gate = call(
        own,
        *("gate", "--baseline-worker", "old.py", "--candidate-worker", "new.py"),
        *("--budget", "8s", "--json", *own.quick),
    )
    verdict = json.loads(gate.stdout)["verdicts"][0]
    assert verdict["verdict"] == "wrong_result", verdict
    assert "new.py:3: before timing, the output differed" in verdict["reason"]

    same = call(own, "gate", "--baseline-worker", "old.py", "--candidate-worker", "old.py")
    assert same.returncode == 64 and "old.py: there is nothing to compare" in same.stderr

    (own.folder / "copy.py").write_bytes((own.folder / "old.py").read_bytes())
    copy = call(
        own,
        *("gate", "--baseline-worker", "old.py", "--candidate-worker", "copy.py"),
        *("--json", *own.quick),
    )
    assert copy.returncode == 0, copy.stderr
    assert [v["verdict"] for v in json.loads(copy.stdout)["verdicts"]] == ["same_code"]


@pytest.mark.parametrize(
    ("text", "says", "code"),
    [
        ("import ridgeline\nx = foo\n", "bad.py:2: NameError: name 'foo' is not defined", 64),
        ("import ridgeline\ndef f(:\n", "bad.py:2: SyntaxError: invalid syntax", 64),
        ("import nosuch\n", "bad.py:1: ModuleNotFoundError: No module named 'nosuch'", 69),
        ("import ridgeline\n", "bad.py has no case", 64),
        ("import ridgeline\nraise SystemExit(3)\n", "bad.py:2: SystemExit: 3", 64),
        (
            SCALE.replace("SIZE", "8, 8"),
            "bad.py:3: the case scale/scale/f32/n=8,cache=hot is there",
            64,
        ),
        (SCALE.replace("SIZE", "8").replace("(n, dtype", "(m, dtype"), "bad.py:3: scale must", 64),
        ("# coding: klingon\nimport ridgeline\n", "bad.py:1: SyntaxError: unknown encoding", 64),
        (
            "import ridgeline as rl\n@rl.case\ndef scale(): pass\n",
            "bad.py:2: write @rl.case(shapes=...)",
            64,
        ),
        (SCALE.replace("SIZE", ""), "bad.py:3: shapes is empty", 64),
        (
            SCALE.replace("SIZE", "8").replace('"cpu"', '"gpu"'),
            "bad.py:3: there is no kind of device 'gpu'",
            64,
        ),
    ],
)
def test_a_file_that_cannot_be_loaded_is_one_sentence_with_its_line(own, text, says, code):
    (own.folder / "bad.py").write_text(text)
    done = call(own, "run", "bad.py")
    assert done.returncode == code, done.stderr
    first, *rest = done.stderr.splitlines()
    assert first.startswith("ridgeline: worker bad.py: ") and says in first, done.stderr
    assert len(rest) <= 1 and "Traceback" not in done.stderr
    assert not own.results.exists()


def test_a_case_that_fails_names_its_line_and_spares_the_others(own):
    own.write("mine.py", "x * undefined", "1 << 10, 1 << 12")
    text = (own.folder / "mine.py").read_text()
    text += """
@rl.case(shapes={"n": [8]}, devices="cpu")
def nothing(n, dtype, device):
    x = rl.uniform(n, dtype, device)
    return lambda: None, rl.expect(lambda: x.numpy())

@rl.case(shapes={"n": [8]}, devices="cpu")
def leaves(n, dtype, device):
    x = rl.uniform(n, dtype, device)
    return lambda: exit(0), rl.expect(lambda: x.numpy())

@rl.case(shapes={"n": [8]}, devices="cpu", requires="no_such_library")
def absent(n, dtype, device):
    raise RuntimeError
"""
    (own.folder / "mine.py").write_text(text)
    done = call(own, "run", "mine.py", "--json", *own.quick)
    assert done.returncode == 2, done.stderr
    found = {case["case"]: case for case in json.loads(done.stdout)["cases"]}
    outcomes = {name.split("/")[1]: (one["outcome"], one["reason"]) for name, one in found.items()}
    assert len(found) == 5
    assert outcomes["scale"][0] == "crashed"
    assert "mine.py:6: NameError: name 'undefined' is not defined" in outcomes["scale"][1]
    assert outcomes["nothing"][0] == "wrong_result"
    assert "mine.py:8: the callable returned nothing" in outcomes["nothing"][1]
    assert outcomes["leaves"][0] == "crashed"
    assert "mine.py:16: SystemExit: 0" in outcomes["leaves"][1]
    assert outcomes["absent"][0] == "unavailable"
    assert "cannot import no_such_library" in outcomes["absent"][1]


def test_of_a_file_with_cases_for_several_devices_those_of_one_are_listed(own):
    own.write("mine.py")
    file = own.folder / "mine.py"
    other = file.read_text().replace("scale(", "on_gpus(").replace('"cpu"', '"cuda"')
    file.write_text(file.read_text() + other)
    listed = call(own, "list", "mine.py", "--device", "cpu", "--json")
    assert listed.returncode == 0, listed.stderr
    names = [case["name"] for case in json.loads(listed.stdout)["cases"]]
    assert names == ["scale/scale/f32/n=16384,cache=hot"]
    none = call(own, "list", "mine.py", "--device", "emulated:sm_90")
    assert (none.returncode, "no case for emulated" in none.stderr) == (64, True), none


def test_without_a_python_or_numpy_it_says_so(own, tmp_path):
    own.write("mine.py")
    own.environment["RIDGELINE_PYTHON"] = "/nowhere/python"
    done = call(own, "list", "mine.py")
    assert done.returncode == 69 and "there is no /nowhere/python" in done.stderr
    own.environment["RIDGELINE_PYTHON"] = sys.executable
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "numpy.py").write_text("raise ImportError('not here')\n")
    own.environment["PYTHONPATH"] = str(tmp_path / "hidden")
    done = call(own, "list", "mine.py")
    assert done.returncode == 69 and "NumPy cannot be imported by" in done.stderr, done.stderr
    gone = call(own, "run", "gone.py")
    assert gone.returncode == 64 and "there is no file gone.py" in gone.stderr
    (own.folder / "folder.py").mkdir()
    folder = call(own, "run", "folder.py")
    assert folder.returncode == 64 and "folder.py is a folder" in folder.stderr


def test_the_cpu_is_described_as_ridgeline_suites_does(own):
    own.write("mine.py")
    command = [sys.executable, "-c", "import json; from ridgeline import cpu_facts as f; "]
    command[-1] += "print(json.dumps(f.device()))"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    ours = json.loads(own.execute(command, env=environment, text=True).stdout)
    theirs = json.loads(call(own, "devices", "--json").stdout)["devices"]
    cpu = next(device for device in theirs if device["id"] == "cpu")
    for part in ("model", "name", "uuid", "comparable", "properties"):
        assert ours[part] == cpu[part], part


def test_the_examples_load_and_their_numpy_variants_are_right(own):
    files = sorted(EXAMPLES.glob("*.py"))
    assert len(files) >= 3
    done = call(
        own,
        *("run", *files, "--device", "cpu", "--json", *own.quick),
        *("--exclude", "*/torch*", "--exclude", "scale/*/n=4194304"),
    )
    cases = json.loads(done.stdout)["cases"]
    assert done.returncode == 0, done.stderr
    assert {case["case"].split("/")[1] for case in cases} == {"numpy", "scale"}
    assert all(case["outcome"] in TIMED for case in cases), cases
