"""Small groups of files that clash or do not, and what ci/check_quickstart says about them."""

import importlib.machinery
import importlib.util
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    not (shutil.which("g++") and shutil.which("ninja")), reason="no g++ or no ninja"
)
SCRIPT = Path(__file__).parent / "check_quickstart"
RULE = """rule cxx
  command = g++ -MD -MF $out.d -o $out -c $in
  deps = gcc
  depfile = $out.d
"""
KEY = "namespace {{ struct {} {{}}; }}\n"


@pytest.fixture
def check(monkeypatch):
    """The script as a module."""
    monkeypatch.syspath_prepend(SCRIPT.parent)
    loader = importlib.machinery.SourceFileLoader("check_quickstart", str(SCRIPT))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("check_quickstart", loader)
    )
    loader.exec_module(module)
    return module


def configured(build: Path, *together: dict[str, str], made: bool = False) -> Path:
    """A build folder that compiles the sources of each group as one: by names, what each calls its
    struct. Each also reads common.hpp."""
    (build / "Unity").mkdir(parents=True)
    (build.parent / "common.hpp").touch()
    entries, rules = [], RULE
    for number, group in enumerate(together):
        whole = build / "Unity" / f"unity_{number}_cxx.cxx"
        sources = {build.parent / name: struct for name, struct in group.items()}
        for source, struct in sources.items():
            source.write_text('#include "common.hpp"\n' + KEY.format(struct))
        whole.write_text("".join(f'#include "{source}"\n' for source in sources))
        command = f"env A=b ccache g++ -o {number}.o -c {whole}"
        entries.append({"directory": str(build), "file": str(whole), "command": command})
        rules += f"build {number}.o: cxx {whole}\n"
    (build / "compile_commands.json").write_text(json.dumps(entries))
    (build / "build.ninja").write_text(rules)
    if made:
        subprocess.run(["ninja", "-C", build], capture_output=True, check=True)
    return build


@pytest.mark.parametrize(("structs", "clash"), [("AB", False), ("AA", True)])
def test_a_clash_is_found(check, tmp_path, structs, clash):
    build = configured(tmp_path / "build", {"a.cpp": structs[0], "b.cpp": structs[1]})
    (entry,) = check.unseen([check.groups(build)], [])
    assert ("redefinition" in check.clash_in(entry)) == clash
    assert not list(tmp_path.rglob("*.o")), "nothing is built"


def names(entries) -> list[str]:
    return [Path(entry["file"]).name for entry in entries]


def test_what_another_build_has_compiled_is_not_read_again(check, tmp_path):
    files = {"a.cpp": "A", "b.cpp": "B"}, {"c.cpp": "C", "d.cpp": "D"}, {"e.cpp": "E"}
    quickstart = check.groups(configured(tmp_path / "quickstart", *files))
    more = {**files[0], "f.cpp": "F"}
    other = configured(tmp_path / "other", files[1])
    built = configured(tmp_path / "built", more, made=True)
    seen = [*check.compiled(built), *check.compiled(other), *check.compiled(tmp_path / "none")]
    assert names(check.unseen([quickstart, quickstart], seen)) == ["unity_1_cxx.cxx"]


@pytest.mark.parametrize("changed", ["Unity/unity_0_cxx.cxx", "../a.cpp", "../common.hpp"])
def test_what_was_compiled_before_its_group_changed_is_read(check, tmp_path, changed):
    built = configured(tmp_path / "built", {"a.cpp": "A", "b.cpp": "B"}, made=True)
    assert len(check.compiled(built)) == 1
    check.changed_at.cache_clear()
    later = (built / "0.o").stat().st_mtime + 1
    os.utime(built / changed, (later, later))
    assert check.compiled(built) == []


def test_what_was_compiled_of_a_file_that_is_gone_is_read(check, tmp_path):
    built = configured(tmp_path / "built", {"a.cpp": "A", "b.cpp": "B"}, made=True)
    (tmp_path / "common.hpp").unlink()
    assert check.compiled(built) == []
