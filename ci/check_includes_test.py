"""Small projects of planted headers, and what ci/check_includes says about them."""

import importlib.machinery
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "check_includes"


@pytest.fixture
def check(tmp_path, monkeypatch):
    """The script as a module, for a project in an empty folder, with a budget of 100 lines, and 300
    for facade.cpp."""
    monkeypatch.syspath_prepend(SCRIPT.parent)
    loader = importlib.machinery.SourceFileLoader("check_includes", str(SCRIPT))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("check_includes", loader)
    )
    loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "BUDGET", 100)
    monkeypatch.setattr(module, "BUDGETS", {"harness/facade.cpp": 300})
    return module


def plant(root: Path, lines: dict[str, int], launcher: str = "") -> Path:
    """Sources that include a header of so many lines, as a configured build folder lists them."""
    build = root / "build" / "release"
    build.mkdir(parents=True)
    entries = []
    for name, count in lines.items():
        source = root / name
        source.parent.mkdir(parents=True, exist_ok=True)
        source.with_suffix(".hpp").write_text(
            "".join(f"int line_{line}();\n" for line in range(count))
        )
        source.write_text(f'#include "{source.stem}.hpp"\n')
        command = f"{launcher} g++ -I{root} -o {source.stem}.o -c {source}"
        entries.append({"directory": str(build), "command": command.strip(), "file": str(source)})
    (build / "compile_commands.json").write_text(json.dumps(entries))
    return build


def run(check, build: Path, monkeypatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["check_includes", "--build", str(build), *arguments])
    return check.main()


@pytest.mark.parametrize("launcher", ["", "/usr/bin/ccache"])
def test_a_file_within_its_budget_passes(check, tmp_path, monkeypatch, capsys, launcher):
    build = plant(tmp_path, {"harness/a.cpp": 80, "harness/facade.cpp": 250}, launcher)
    assert run(check, build, monkeypatch) == 0
    first, second, third = capsys.readouterr().out.splitlines()
    assert first.startswith("2 files become ")
    assert (second.split()[1], third.split()[1]) == ("harness/facade.cpp", "harness/a.cpp"), (
        "the worst comes first"
    )


@pytest.mark.parametrize(
    ("name", "count", "budget"), [("harness/a.cpp", 120, 100), ("harness/facade.cpp", 400, 300)]
)
def test_a_file_above_its_budget_fails_and_is_named(
    check, tmp_path, monkeypatch, capsys, name, count, budget
):
    build = plant(tmp_path, {name: count, "harness/b.cpp": 10})
    assert run(check, build, monkeypatch, "--worst", "0") == 1
    said = capsys.readouterr().out
    assert re.search(
        rf"^{name}: \d+ lines after preprocessing, {budget} allowed$", said, re.MULTILINE
    )
    assert "harness/b.cpp" not in said
    assert "include less" in said


def test_tests_and_written_sources_are_left_out(check, tmp_path, monkeypatch, capsys):
    names = ["harness/a_test.cpp", "harness/a_bench.cpp", "build/release/generated/table.cpp"]
    build = plant(tmp_path, {"harness/a.cpp": 1, **dict.fromkeys(names, 900)})
    assert run(check, build, monkeypatch) == 0
    assert capsys.readouterr().out.startswith("1 files become ")


def test_sources_that_are_compiled_in_one_file_count_one_by_one(
    check, tmp_path, monkeypatch, capsys
):
    build = plant(tmp_path, {"harness/a.cpp": 80, "harness/b.cpp": 120})
    together = build / "Unity" / "unity_0_cxx.cxx"
    together.parent.mkdir()
    together.write_text("".join(f'#include "{tmp_path}/harness/{name}.cpp"\n' for name in "ab"))
    command = f"g++ -I{tmp_path} -o unity.o -c {together}"
    entry = {"directory": str(build), "command": command, "file": str(together)}
    (build / "compile_commands.json").write_text(json.dumps([entry]))
    assert run(check, build, monkeypatch) == 1
    said = capsys.readouterr().out
    assert said.startswith("2 files become ")
    assert re.findall(r"^(\S+): .* allowed$", said, re.MULTILINE) == ["harness/b.cpp"]


def test_what_does_not_compile_fails(check, tmp_path, monkeypatch):
    build = plant(tmp_path, {"harness/a.cpp": 1})
    (tmp_path / "harness" / "a.hpp").unlink()
    with pytest.raises(SystemExit, match="cannot preprocess .*a.cpp"):
        run(check, build, monkeypatch)


def test_an_empty_list_fails(tmp_path):
    (tmp_path / "compile_commands.json").write_text("[]")
    answer = subprocess.run(
        [sys.executable, SCRIPT, "--build", tmp_path], capture_output=True, text=True, check=False
    )
    assert answer.returncode == 1
    assert "lists no source of the project" in answer.stderr
