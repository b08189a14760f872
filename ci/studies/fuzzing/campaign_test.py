"""Fuzz targets are run for a time, side by side; what they find is kept and told once."""

import shutil
from pathlib import Path

import pytest

from ci.studies.fuzzing import campaign
from ci.studies.fuzzing.libfuzzer import last_progress, what_was_found

# Stands for a target: it finds something in its first run, and reads inputs that are given to it.
PROGRAM = """#!/bin/sh
if [ "$1" = --seeds ]; then mkdir -p "$2"; echo seed > "$2/seed-1"; exit; fi
for word; do
  case $word in
    -artifact_prefix=*) prefix=${word#*=} ;;
    -exact_artifact_path=*) exact=${word#*=} ;;
  esac
  last=$word
done
printf '#8\tINITED cov: 30 ft: 1\n#70\tNEW    cov: 41 ft: 2\n'
if [ -f "$last" ]; then
  grep -q bad "$last" && echo "FINDING: at 0x1234" && [ "$exact" ] && echo bad > "$exact"
  exit
fi
echo "$RIDGELINE_HOME" > "MARK.home"
if mkdir "MARK" 2> /dev/null; then
  echo "FINDING: at 0xabcd"
  echo "a long bad input" > "${prefix}crash-1"
else
  echo "stat::number_of_executed_units: 100"
fi
"""


@pytest.fixture
def programs(tmp_path):
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "fuzz_some").write_text(PROGRAM.replace("MARK", str(tmp_path / "mark")))
    (folder / "fuzz_some").chmod(0o755)
    return folder


def call(programs, tmp_path, *arguments):
    places = ["--work", str(tmp_path / "work"), "--corpus", str(tmp_path / "corpus")]
    return campaign.main(["--programs", str(programs), "--time", "5s", *places, *arguments])


def test_a_finding_is_minimised_kept_and_told_once(programs, tmp_path, capsys):
    assert call(programs, tmp_path, "--jobs", "1") == campaign.FINDINGS
    said = capsys.readouterr().out
    (kept,) = (tmp_path / "corpus" / "some").iterdir()
    assert kept.read_text() == "bad\n"
    assert said.count("at N") == 1
    # Inputs: 70, and 100 after it.
    assert said.splitlines()[-2].split()[0::2][:2] == ["some", "170"]
    assert said.splitlines()[-2].split()[4:] == ["41", "0", "1", "0"]


def test_programs_that_were_built_elsewhere_find_files_of_the_clone(programs, tmp_path):
    call(programs, tmp_path, "--jobs", "1")
    home = Path((tmp_path / "mark.home").read_text().strip())
    assert (home / "suites" / "profiles").is_dir()


def test_what_was_found_once_is_read_again(programs, tmp_path, capsys):
    (tmp_path / "mark").mkdir()
    assert call(programs, tmp_path) == 0
    (tmp_path / "corpus" / "some").mkdir(parents=True)
    (tmp_path / "corpus" / "some" / "old").write_text("bad")
    assert call(programs, tmp_path) == campaign.FINDINGS
    assert "old: at N" in capsys.readouterr().out


def test_a_target_that_is_not_there_is_named(programs, tmp_path, capsys):
    assert call(programs, tmp_path, "--target", "other") == 69
    assert "there is no target other; there are some" in capsys.readouterr().err
    assert call(tmp_path, tmp_path) == 69


def test_every_target_gets_a_process_and_the_slow_ones_the_rest():
    assert campaign.shares(["json", "commands"], 1) == {"json": 1, "commands": 1}
    assert campaign.shares(["json", "commands"], 5) == {"json": 1, "commands": 4}
    assert campaign.shares(["json", "lines"], 3) == {"json": 2, "lines": 1}


@pytest.mark.parametrize(("jobs", "each"), [(1, 1), (2, 1), (4, 2), (3, 3), (5, 5)])
def test_equal_shares_keep_all_jobs_busy(jobs, each):
    assert campaign.shares(["json", "commands"], jobs, equal=True) == {
        "json": each,
        "commands": each,
    }


def test_equal_shares_run_one_after_another(programs, tmp_path, capsys):
    (tmp_path / "mark").mkdir()
    shutil.copy(programs / "fuzz_some", programs / "fuzz_other")
    assert call(programs, tmp_path, "--jobs", "3", "--equal") == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [row[::2][:2] for row in rows[1:3]] == [["other", "300"], ["some", "300"]]
    assert len(list((tmp_path / "work").glob("some-*.log"))) == 3


@pytest.mark.parametrize(
    ("said", "what", "is_hang"),
    [
        ("x.cpp:1:2: runtime error: y\nSUMMARY: z", "x.cpp:1:2: runtime error: y", False),
        ("==7== ERROR: libFuzzer: timeout after 15 s\nSUMMARY: z", "timeout", True),
        (
            "SUMMARY: AddressSanitizer: heap-use-after-free",
            "AddressSanitizer: heap-use-after-free",
            False,
        ),
    ],
)
def test_findings_are_told_apart(said, what, is_hang):
    finding = what_was_found(said)
    assert (finding.what, finding.is_hang) == (what, is_hang)


def test_what_found_nothing_is_counted():
    said = "#2\tINITED cov: 5 ft: 1\nDone 7 runs\n"
    assert what_was_found(said) is None
    assert (last_progress(said, 1).inputs, last_progress(said, 1).edges) == (2, 5)
