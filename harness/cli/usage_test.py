"""Bad input: one clear message on stderr, the exit code of its kind, and nothing written."""

import ctypes
import json
import os
import shlex
import sqlite3
import subprocess
from pathlib import Path

import pytest

from harness.run.scripted_runs import BUILD, PLAIN, ROOT, case


def refuse(lab, done, code: int, *texts: str) -> None:
    errors = done.stderr if isinstance(done.stderr, str) else done.stderr.decode()
    assert done.returncode == code, errors
    for text in texts:
        assert text in errors
    assert errors.startswith("ridgeline: ") and errors.count("\n") <= 2
    assert not done.stdout
    assert not lab.results.exists()


@pytest.mark.parametrize("closed", [(1,), (0, 1)])
def test_output_to_a_closed_stream_is_lost_and_said(lab, closed):
    done = subprocess.run(
        lab.command("list", "--worker", PLAIN),
        env=lab.environment,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: [os.close(stream) for stream in closed],
        timeout=60,
    )
    assert done.returncode == 74
    assert done.stderr == b"ridgeline: cannot write to the standard output\n"


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        (
            ["scripted/constnat"],
            ['no case matches "scripted/constnat"', "did you mean scripted/constant?"],
        ),
        (["scriptd"], ['no case matches "scriptd"', "did you mean scripted?"]),
        (["zzz"], ['no case matches "zzz"', "ridgeline list shows all cases"]),
        (
            ["scripted/drifting"],
            ["matches 1 case, but the profile tests leaves it out", case("drifting")],
        ),
        (["--budget", "0"], ["--budget 0 is not a duration above 0", "write 90s"]),
        (["--budget", "-1"], ["--budget -1 is not a duration above 0"]),
        (["--budget", "-1s"], ["--budget -1s is not a duration above 0"]),
        (["--budget", "soon"], ["--budget soon is not a duration above 0"]),
        (["--processes", "0"], ["--processes"]),
        (["--repeat-of", ""], ["--repeat-of: it is empty"]),  # no run of everything
        (["--device", ""], ["--device: it is empty"]),
        ([""], ["PATTERN: it is empty"]),
        (["--processes", "1" * 300], ["--processes: Value 111"]),
        (["--seed", "1" * 300], ["is not a whole number"]),
        (["--budget", "1" * 300 + "s"], ["is not a duration"]),
        (["--seed", "x"], ["--seed x is not a whole number"]),
        (["--seed", "-1"], ["--seed -1 is not a whole number"]),
        (["--seed", "1.5"], ["--seed 1.5 is not a whole number"]),
        (["--seed", str(2**64)], ["--seed 18446744073709551616 is not a whole number"]),
        (["--proceses", "3"], ["--proceses", "did you mean --processes?"]),
        (["--profile", "quik"], ['there is no profile "quik"', "did you mean quick?"]),
        (["--profile", "./missing.toml"], ["cannot read the profile ./missing.toml"]),
        (
            ["--device", "cuda:7"],
            ["there is no device cuda:7 here", "cuda is unavailable", "fake (Synthetic Fake)"],
        ),
        (
            ["--device", "cudax"],
            ["there is no device cudax here\n"],
        ),  # which is no GPU, so not for the lack of one
        (["--device", "cpux"], ["there is no device cpux here", "there is cpu ("]),
        ([b"scripted/\xff"], ["is not UTF-8: scripted/\\xff"]),
    ],
)
def test_bad_arguments_of_run_are_64(lab, arguments, texts):
    command = [*lab.run_command(lab.profile("constant", "noisy")), *arguments]
    refuse(lab, lab.execute(command), 64, *texts)


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        ([], ["A subcommand is required"]),
        (["runn"], ["did you mean run?"]),
        (["list", "--jsno"], ["--jsno", "did you mean --json?"]),
        (["list", "scripted/nois"], ['no case matches "scripted/nois"']),
    ],
)
def test_bad_commands_are_64(lab, arguments, texts):
    refuse(lab, lab.call(*arguments), 64, *texts)


@pytest.mark.parametrize(
    ("old", "new", "line", "texts"),
    [
        ("budget =", "bugdet =", 1, ["budget is missing"]),
        ('budget = "60s"', 'budget = "60s"\nretries = 3', 4, ['unknown key "retries"']),
        ("target = 0.01", "target = one", 7, []),
        (
            "scripted/constant",
            "scripted/contsant",
            14,
            ["no case matches", "did you mean scripted/constant"],
        ),
        ("[fake]", "[cpu]", None, ["the profile has no section [fake]"]),
    ],
)
def test_a_profile_with_a_typo_is_named_with_its_line(lab, old, new, line, texts):
    profile = lab.profile("constant")
    assert old in profile.read_text()
    profile.write_text(profile.read_text().replace(old, new))
    where = f"{profile}:{line}: " if line else f"{profile}: "
    refuse(lab, lab.run(profile), 64, where, *texts)


@pytest.mark.parametrize(
    "profile", sorted(path.stem for path in (ROOT / "suites" / "profiles").glob("*.toml"))
)
def test_every_profile_of_the_house_names_cases_that_exist(lab, profile):
    done = lab.call("list", "--profile", profile)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(b"\n") > 10


def test_a_pattern_that_the_profile_leaves_out_is_measured_by_its_full_name(lab):
    assert lab.run(lab.profile("constant"), case("noisy")).returncode == 0
    assert lab.outcomes().keys() == {case("noisy")}


def test_a_results_folder_that_cannot_be_used_is_74(lab):
    profile = lab.profile("constant")
    lab.results.write_text("a file")
    done = lab.run(profile)
    assert done.returncode == 74 and str(lab.results) in done.stderr
    assert lab.results.read_text() == "a file"
    lab.results.unlink()
    done = lab.run(profile, "--results", "/proc/nowhere")
    assert done.returncode == 74 and "/proc/nowhere" in done.stderr


def obey_file_modes():
    """Takes from root the power to write where the mode of a folder forbids it; kept by what is
    executed next."""
    PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1
    if os.geteuid() == 0:
        assert ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0) == 0


def test_a_read_only_folder_is_74(lab):
    lab.results.mkdir(mode=0o500)
    done = lab.run(lab.profile("constant"), preexec_fn=obey_file_modes)
    assert done.returncode == 74 and str(lab.results) in done.stderr
    assert list(lab.results.iterdir()) == []


def test_a_file_that_is_no_database_stays_as_it_is(lab):
    lab.results.mkdir()
    lab.database.write_bytes(b"precious notes" * 100)
    done = lab.run(lab.profile("constant"))
    assert done.returncode == 74 and str(lab.database) in done.stderr
    assert lab.database.read_bytes() == b"precious notes" * 100


def test_a_newer_schema_is_refused(lab):
    profile = lab.profile("constant")
    assert lab.run(profile).returncode == 0
    connection = sqlite3.connect(lab.database)
    connection.execute("PRAGMA user_version = 9999")
    connection.close()
    done = lab.run(profile)
    assert done.returncode == 74 and "9999" in done.stderr
    assert lab.query("SELECT count(*) FROM run") == [(1,)]


def test_output_that_cannot_be_written_is_74(lab):
    with Path("/dev/full").open("w") as full:
        done = lab.run(lab.profile("constant"), capture_output=False, stdout=full)
    assert done.returncode == 74
    assert lab.outcomes().keys() == {case("constant")}


@pytest.mark.parametrize(
    "command", [["list"], ["list", "--json"], ["devices"], ["devices", "--json"]]
)
def test_output_that_cannot_be_written_is_74_and_said_once(lab, command):
    with Path("/dev/full").open("w") as full:
        done = lab.call(*command, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 74
    said = done.stderr.decode().splitlines()
    assert [line for line in said if line.startswith("ridgeline: ")] == [
        "ridgeline: cannot write to the standard output"
    ]


@pytest.mark.parametrize("command", [["list"], ["list", "--json"], ["devices"], ["--help"]])
def test_a_reader_that_has_gone_away_is_74_without_a_word(lab, command):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = lab.call(*command, capture_output=False, stdout=writing, stderr=subprocess.PIPE)
    finally:
        os.close(writing)
    assert done.returncode == 74
    assert "ridgeline: " not in done.stderr.decode()


def test_list_and_run_agree_on_what_a_profile_has(lab):
    profile = lab.profile("constant", "noisy", "unstable")
    written = profile.read_text()
    assert f'"{case("noisy")}"' in written
    profile.write_text(
        written.replace(f'"{case("noisy")}"', f'"!{case("noisy")}", "!*/unstable/*"')
    )
    worker = ("--worker", BUILD / "ridgeline-scripted-worker")
    listed = json.loads(
        lab.call("list", "--device", "fake", "--profile", profile, "--json", *worker).stdout
    )
    assert lab.run(profile).returncode == 0
    assert {each["name"] for each in listed["cases"]} == lab.outcomes().keys() == {case("constant")}


def test_json_is_one_object_on_stdout(lab):
    done = lab.run(lab.profile("constant", "segfault"), "--json")
    document = json.loads(done.stdout)
    assert document["ridgeline_json"] == 2
    assert done.returncode == document["exit_code"] == 2
    assert document["device"]["model"] == "synthetic-fake"
    assert document["file"] == str(lab.database)
    by_name = {each["case"]: each for each in document["cases"]}
    assert by_name[case("constant")]["median_ns"] == 100_000
    assert (
        by_name[case("segfault")]["outcome"] == "crashed"
        and "median_ns" not in by_name[case("segfault")]
    )
    assert document["repeat"].endswith(case("segfault"))
    worker = BUILD / "ridgeline-scripted-worker"
    listed = json.loads(lab.call("list", "--json", "--worker", worker, "scripted").stdout)
    assert listed["ridgeline_json"] == 2
    assert case("constant") in {each["name"] for each in listed["cases"]}
    devices = json.loads(lab.call("devices", "--json", "--worker", worker).stdout)
    assert devices["ridgeline_json"] == 2
    assert "fake" in {each["id"] for each in devices["devices"]}


@pytest.mark.parametrize("teller", ["run", "show"])
def test_the_line_that_repeats_a_failure_works_when_typed(lab, teller):
    done = lab.run(
        lab.profile("constant", "wrong_result"),
        "--processes",
        "2",
        "--budget",
        "50s",
        "--label",
        "it's two",
    )
    assert done.returncode == 2
    text = (
        done.stdout
        if teller == "run"
        else lab.call("show", "--results", lab.results, text=True).stdout
    )
    mark = "repeat what failed: "
    line = next(line for line in text.splitlines() if line.startswith(mark)).removeprefix(mark)
    program, *words = shlex.split(line)
    assert program == "ridgeline"
    ((first, seed),) = lab.query("SELECT id, seed FROM run")
    assert lab.call(*words).returncode == 2
    assert lab.query("SELECT seed, label FROM run WHERE id <> ?", first) == [(seed, "it's two")]
    ((again,),) = lab.query("SELECT id FROM run WHERE id <> ?", first)
    assert {name: len(rows) for name, rows in lab.outcomes(again).items()} == {
        case("wrong_result"): 2
    }


def test_excluded_cases_are_not_measured(lab):
    profile = lab.profile("constant", "noisy", "unstable")
    assert lab.run(profile, "--exclude", "*/noisy", "--exclude", case("unstable")).returncode == 0
    assert lab.outcomes().keys() == {case("constant")}


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("scripted/nosy", ['no case matches "scripted/nosy"', "did you mean scripted/noisy?"]),
        ("scripted", ["--exclude leaves no case to measure"]),
    ],
)
def test_an_exclusion_of_nothing_or_of_everything_is_64(lab, pattern, texts):
    refuse(lab, lab.run(lab.profile("constant", "noisy"), "--exclude", pattern), 64, *texts)


def test_a_dry_run_measures_nothing_and_estimates_from_earlier_runs(lab):
    profile = lab.profile("constant", "noisy", processes=2)
    done = lab.run(profile, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1:] == [
        case("constant"),
        case("noisy"),
        "2 cases in 2 processes, profile tests, at most 1 min 00 s",
        "no earlier run of this profile says how long they take",
    ]
    assert not lab.results.exists()
    assert lab.run(profile, "scripted/constant").returncode == 0
    done = lab.run(profile, "--dry-run")
    assert "by what 1 of the cases took in earlier runs of this profile\n" in done.stdout
    dry = json.loads(lab.run(profile, "--dry-run", "--json").stdout)
    assert dry["cases"] == [case("constant"), case("noisy")]
    assert (
        dry["estimate"]["from_cases"] == 1
        and 0 < dry["estimate"]["seconds"] <= dry["budget_s"] == 60
    )
    assert (
        lab.run(profile, "--dry-run", "--quiet").stdout == f"{case('constant')}\n{case('noisy')}\n"
    )
    assert lab.query("SELECT count(*) FROM run") == [(1,)]


def test_suites_are_listed_with_what_they_ask(lab):
    done = lab.call("list", "--suites", "--device", "cpu", text=True)
    assert done.returncode == 0, done.stderr
    assert "  What does each rung of the ladder buy as matrices grow?\n" in done.stdout
    suites = {
        each["name"]: each
        for each in json.loads(lab.call("list", "--suites", "--json").stdout)["suites"]
    }
    cases = json.loads(lab.call("list", "gemm", "--json").stdout)["cases"]
    assert suites["gemm"]["cases"] == len({each["name"] for each in cases})
    assert suites["gemm"]["question"].startswith("What does each rung")


def test_h_is_short_for_help(lab):
    assert lab.call("-h").stdout == lab.call("--help").stdout
    assert lab.call("show", "-h").stdout == lab.call("show", "--help").stdout


def test_every_command_has_examples_in_its_help(lab):
    overview = lab.call("--help").stdout.decode()
    commands = [
        line.split()[0]
        for line in overview.split("Subcommands:")[1].split("Examples:")[0].splitlines()
        if line.strip()
    ]
    assert {"devices", "list", "run"} <= set(commands)
    for command in commands:
        done = lab.call(command, "--help")
        assert (
            done.returncode == 0 and f"Examples:\n  ridgeline {command}" in done.stdout.decode()
        ), command


@pytest.mark.parametrize("command", ["runs", "show", "report", "export"])
def test_a_folder_that_is_named_goes_before_the_one_of_the_environment(lab, command):
    """Also where other commands that were not called have the option, too."""
    arguments = ["csv"] if command == "export" else []
    environment = {**lab.environment, "RIDGELINE_RESULTS": str(lab.folder / "of-environment")}
    named = lab.call(
        command, *arguments, "--results", lab.folder / "named", text=True, env=environment
    )
    assert f"{lab.folder / 'named'}" in named.stderr
    assert "of-environment" not in named.stderr
    unnamed = lab.call(command, *arguments, text=True, env=environment)
    assert f"{lab.folder / 'of-environment'}" in unnamed.stderr
