"""What `ci/setup` says."""

import subprocess
from pathlib import Path

import pytest

SETUP = Path(__file__).resolve().parent / "setup"


def test_what_cannot_be_seen_in_words_of_others_is_no_escape():
    said = [line for line in SETUP.read_text().split("\n") if line.startswith(("seen()", "say()"))]
    evil = b"/home/\x1b[2J\xc2\x9b\xe2\x80\xae\xff\n::error::x"
    done = subprocess.run(
        ["bash", "-c", "\n".join([*said, 'say CUDA "$1"']), "bash", evil],
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"CUDA              /home/?[2J???????::error::x\n"


@pytest.mark.parametrize(("system", "expected"), [("debian", "chromium\n"), ("ubuntu", "")])
def test_a_browser_is_installed_where_it_is_no_snap(tmp_path, system, expected):
    release = tmp_path / "os-release"
    release.write_text(f"ID={system}\nID_LIKE=debian\n")
    made = [line for line in SETUP.read_text().split("\n") if line.startswith("browser_package()")]
    command = ["bash", "-euc", "\n".join([*made, 'browser_package "$1"']), "bash", release]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == expected
