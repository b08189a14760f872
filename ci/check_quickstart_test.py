"""Small groups of files that clash or do not, and what ci/check_quickstart says about them."""

import importlib.machinery
import importlib.util
import json
import os
import shutil
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "check_quickstart"
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
    struct."""
    (build / "Unity").mkdir(parents=True)
    entries = []
    for number, group in enumerate(together):
        whole = build / "Unity" / f"unity_{number}_cxx.cxx"
        sources = {build.parent / name: struct for name, struct in group.items()}
        for source, struct in sources.items():
            source.write_text(KEY.format(struct))
        whole.write_text("".join(f'#include "{source}"\n' for source in sources))
        command = f"env A=b ccache g++ -o {number}.o -c {whole}"
        entries.append({"directory": str(build), "file": str(whole), "command": command})
        if made:
            (build / f"{number}.o").touch()
    (build / "compile_commands.json").write_text(json.dumps(entries))
    return build


@pytest.mark.skipif(not shutil.which("g++"), reason="no g++")
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
    built = configured(tmp_path / "built", more, made=True)
    other = configured(tmp_path / "other", files[1])
    seen = [*check.compiled(built), *check.compiled(other), *check.compiled(tmp_path / "none")]
    assert names(check.unseen([quickstart, quickstart], seen)) == ["unity_1_cxx.cxx"]


def test_what_was_compiled_before_its_group_changed_is_read(check, tmp_path):
    built = configured(tmp_path / "built", {"a.cpp": "A", "b.cpp": "B"}, made=True)
    assert len(check.compiled(built)) == 1
    whole = built / "Unity" / "unity_0_cxx.cxx"
    later = (built / "0.o").stat().st_mtime + 1
    os.utime(whole, (later, later))
    assert check.compiled(built) == []
