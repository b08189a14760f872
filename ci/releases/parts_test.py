"""What a release says of itself: what is part of it, and what it needs."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from ci.releases import bill
from ci.releases.needs import Refused, manylinux_tag, needs_of, programs_in
from ci.releases.parts import Part, parts_of
from harness.run.scripted_runs import BUILD, ROOT

PARTS = [
    Part("one", "1.2", "MIT", "pkg:generic/one@1.2", "Copyright nobody.\n"),
    Part("two", "3", "GPL-3.0-or-later WITH GCC-exception-3.1", "pkg:generic/two@3", "Copyleft.\n"),
    Part("three", "4", "LicenseRef-Own", "pkg:generic/three@4", "Own.\n"),
]


def program(folder: Path, *options: str) -> Path:
    source = folder / "program.c"
    source.write_text("#include <math.h>\nint main(int n, char** a) { return (int)exp2(n); }\n")
    made = folder / "ridgeline"
    subprocess.run(["cc", source, "-o", made, "-lm", *options], check=True)
    return made


def test_the_tag_is_that_of_the_newest_symbol(tmp_path):
    made = program(tmp_path)
    glibc = needs_of(made).glibc
    assert glibc >= (2, 29)  # exp2 of then
    assert manylinux_tag([made]) == f"manylinux_{glibc[0]}_{glibc[1]}_x86_64"


def test_no_tag_is_true_of_a_program_that_needs_more_than_glibc(tmp_path):
    library = tmp_path / "libmine.so"
    source = tmp_path / "mine.c"
    source.write_text("int mine(void) { return 1; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", library], check=True)
    made = program(tmp_path, "-Wl,--no-as-needed", f"-L{tmp_path}", "-lmine")
    with pytest.raises(Refused, match=r"ridgeline needs libmine\.so"):
        manylinux_tag([made])
    done = subprocess.run(
        [ROOT / "ci" / "check_portable", tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "libmine.so: not on every machine" in done.stderr


def test_a_folder_without_programs_is_refused(tmp_path):
    with pytest.raises(Refused, match="there are no programs in"):
        programs_in(tmp_path)


def test_every_part_of_this_build_has_a_licence():
    """Fails when somebody uses a library that ci/releases/parts.py does not know."""
    if not shutil.which("dpkg-query") or not (BUILD.parent / "build.ninja").is_file():
        pytest.skip("needs a build by ninja, and Debian's or Ubuntu's list of packages")
    parts = {part.name: part for part in parts_of(BUILD.parent, ROOT)}
    assert {"CLI11", "SQLite", "Boost", "OpenBLAS", "libstdc++"} <= parts.keys()
    for part in parts.values():
        assert part.version and part.licence and len(part.text) > 100, part


def test_the_bill_names_every_part_once():
    document = json.loads(
        bill.cyclonedx("1.0.0", "c" * 40, "2026-01-01T00:00:00Z", PARTS, ["numpy>=1.24"])
    )
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    named = [each["name"] for each in document["components"]]
    assert named == ["one", "two", "three", "numpy"]
    licences = [each["licenses"] for each in document["components"][:3]]
    assert licences == [
        [{"license": {"id": "MIT"}}],
        [{"expression": "GPL-3.0-or-later WITH GCC-exception-3.1"}],
        [{"license": {"name": "Own"}}],
    ]
    references = {each["bom-ref"] for each in document["components"]}
    assert set(document["dependencies"][0]["dependsOn"]) == references


def test_notices_have_every_licence():
    text = bill.notices(PARTS)
    for part in PARTS:
        assert f"- {part.name} {part.version}: {part.licence}" in text
        assert part.text in text
