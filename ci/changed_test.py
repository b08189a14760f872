"""What ci/changed.py and ci/check_tidy take for changed, in small repositories."""

import importlib.machinery
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from ci import changed

CI = Path(__file__).parent


@pytest.fixture
def git(tmp_path, monkeypatch):
    """Runs git in a repository of one commit on main."""
    monkeypatch.setattr(changed, "ROOT", tmp_path)
    for name in (
        "GIT_AUTHOR_NAME",
        "GIT_COMMITTER_NAME",
        "GIT_AUTHOR_EMAIL",
        "GIT_COMMITTER_EMAIL",
    ):
        monkeypatch.setenv(name, "tests")

    def call(*arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    call("init", "--quiet", "--initial-branch=main")
    commit(call, tmp_path, "first.cpp", "gone.cpp")
    return call


def commit(git, root: Path, *names: str) -> str:
    for name in names:
        (root / name).write_text((root / name).read_text() + "x" if (root / name).exists() else "")
    git("add", "--all")
    git("commit", "--quiet", "--message", "a commit")
    return git("rev-parse", "HEAD")


def test_the_only_commit_has_no_base(git):
    assert changed.default_base() == ""


def test_on_main_the_base_is_the_commit_before(git, tmp_path):
    first = git("rev-parse", "HEAD")
    commit(git, tmp_path, "second.cpp")
    assert changed.default_base() == first


def test_on_a_branch_the_base_is_where_it_left_main(git, tmp_path):
    first = git("rev-parse", "HEAD")
    git("switch", "--quiet", "--create", "branch")
    commit(git, tmp_path, "second.cpp")
    commit(git, tmp_path, "third.cpp")
    assert changed.default_base() == first


def test_what_changed_last_comes_first_and_what_is_gone_is_left_out(git, tmp_path):
    base = git("rev-parse", "HEAD")
    (tmp_path / "gone.cpp").unlink()
    commit(git, tmp_path, "b.cpp", "old.cpp")
    commit(git, tmp_path, "a.cpp", "z.cpp")
    (tmp_path / "old.cpp").write_text("open")
    (tmp_path / "new.cpp").touch()
    assert changed.files_since(base) == ["new.cpp", "old.cpp", "a.cpp", "z.cpp", "b.cpp"]


@pytest.fixture
def check_tidy(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(CI)
    loader = importlib.machinery.SourceFileLoader("check_tidy", str(CI / "check_tidy"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_tidy", loader))
    loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return module


def test_sources_come_in_the_order_of_what_changed(check_tidy, tmp_path):
    (tmp_path / "room").mkdir()
    for name, text in {
        "a": "",
        "b": '#include "room/x.hpp"',
        "c": '#include "room/x.hpp"',
        "d": "",
    }.items():
        (tmp_path / "room" / f"{name}.cpp").write_text(text)
    sources = [f"room/{name}.cpp" for name in "abcd"]
    assert check_tidy.selected(sources, ["room/d.cpp", "room/x.hpp", "room/b.cpp"]) == [
        *("room/d.cpp", "room/b.cpp", "room/c.cpp")
    ]
    assert check_tidy.selected(sources, ["other/x.hpp"]) == []


def test_what_does_not_fit_into_the_time_is_named(check_tidy, tmp_path, monkeypatch, capsys):
    (tmp_path / "a.cpp").touch()
    (tmp_path / "compile_commands.json").write_text(
        f'[{{"file": "{tmp_path}/a.cpp", "command": ""}}]'
    )
    monkeypatch.setattr(
        sys, "argv", ["check_tidy", "--build", str(tmp_path), "--all", "--seconds", "-1"]
    )
    assert check_tidy.main() == 0
    assert "note: 1 sources left out after -1 s: a.cpp" in capsys.readouterr().out


def test_what_is_found_in_joined_sources_is_said_of_the_source(check_tidy, tmp_path):
    (tmp_path / "a.cpp").write_text("int a;\n\nint b;\n")
    (tmp_path / "b.cpp").write_text("int c;\nint d;\n")
    entry_of = {name: {"command": f"g++ -o {name}.o {name}"} for name in ("a.cpp", "b.cpp")}
    entry_of["other.cpp"] = {"command": "g++ -mavx2 -o other.o other.cpp"}
    alone, both = check_tidy.texts_of(["other.cpp", "a.cpp", "b.cpp"], entry_of, tmp_path)
    assert (alone.sources, alone.file) == (["other.cpp"], tmp_path / "other.cpp")
    assert alone.in_sources(f"{alone.file}:5:1: error: x") == f"{alone.file}:5:1: error: x"
    assert both.sources == ["a.cpp", "b.cpp"]
    assert both.file.read_text() == "int a;\n\nint b;\nint c;\nint d;\n"
    said = f"""\
{both.file}:5:5: error: unused
    5 | int d;
      |     ^
x.hpp:5:1: note: of {both.file}:3:1
    5 | int x;
"""
    assert (
        both.in_sources(said)
        == """\
b.cpp:2:5: error: unused
    2 | int d;
      |     ^
x.hpp:5:1: note: of a.cpp:3:1
    5 | int x;"""
    )


def test_sources_that_cannot_be_joined_are_read_alone(check_tidy, tmp_path, monkeypatch, capsys):
    entries = []
    for name in ("a.cpp", "b.cpp"):
        (tmp_path / name).touch()
        file = str(tmp_path / name)
        entries.append({"directory": ".", "file": file, "command": f"g++ -o {name}.o -c {file}"})
    (tmp_path / "compile_commands.json").write_text(json.dumps(entries))
    tool = tmp_path / ".venv" / "bin" / "clang-tidy"
    tool.parent.mkdir(parents=True)
    tool.write_text("""#!/bin/sh
for file; do :; done
case $file in
  */file-by-file/*) echo "$file:1:1: error: redefinition [clang-diagnostic-error]"; exit 1 ;;
  */b.cpp) echo "$file:1:1: error: [performance-x]"; exit 1 ;;
esac
""")
    tool.chmod(0o755)
    monkeypatch.setattr(sys, "argv", ["check_tidy", "--build", str(tmp_path), "--all"])
    assert check_tidy.main() == 1
    said = capsys.readouterr().out
    assert "redefinition" not in said
    assert "performance-x" in said
    assert "1 sources with findings: b.cpp" in said
