"""What is typed to start a gate, and what is shown and written of it."""

import json
import re

import pytest

from harness.run.scripted_runs import PLAIN, VARIANTS, case, named


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "there is nothing to compare"),
        (["--baseline-worker", "x"], "--baseline-worker needs --candidate-worker, too"),
        (["--candidate-ref", "HEAD"], "--candidate-ref needs --baseline-ref, too"),
        (["--candidate-variant", "x"], "--candidate-variant needs --baseline-variant, too"),
        (
            ["--baseline-ref", "a", "--candidate-variant", "b"],
            "--candidate-variant does not go with --baseline-ref",
        ),
        (
            ["--baseline", "latest", "--candidate", "latest", "--aa"],
            "--aa is for gates that measure",
        ),
        (
            ["--baseline", "latest", "--candidate", "latest", "--budget", "1m"],
            "--budget is for gates that measure",
        ),
        (
            ["--baseline-ref", "a", "--candidate-ref", "b", "--accept-changes"],
            "--accept-changes is for stored runs",
        ),
        (
            ["--baseline-ref", "a", "--candidate-ref", "b", "--worker", "x"],
            "--worker goes with --baseline-variant",
        ),
        (
            ["--baseline-ref", "a", "--candidate-ref", "b", "--json", "--junit", "-"],
            "cannot share the standard output",
        ),
        (["--resume", ""], "--resume: it is empty"),
        (["--baseline-ref", "", "--candidate-ref", "HEAD"], "--baseline-ref: it is empty"),
        (
            ["--baseline-ref", "a", "--candidate-ref", "b", "--junit", ""],
            "--junit: it is empty",
        ),
        (
            [
                "--baseline-ref",
                "a",
                "--candidate-ref",
                "b",
                "--junit",
                "gate.out",
                "--markdown",
                "./gate.out",
            ],
            "--junit and --markdown name the same file",
        ),
        (["--delta", "0"], "--delta 0 is not a share above 0 and below 1"),
        (["--delta", "100%"], "--delta 100% is not a share"),
        (["--delta", "nan"], "--delta nan is not a share"),
        (["--delta", "0x1p-4"], "--delta 0x1p-4 is not a share"),
        (["--delta", "3 %"], "is not a share"),
        (["--delta", ""], "--delta: it is empty"),
        (["--alpha", "0.3"], "--alpha 0.3 is not a share above 0 and at most 0.2"),
        (["--alpha", "-1%"], "is not a share"),
    ],
)
def test_what_makes_no_sense_is_refused(lab, arguments, message):
    done = lab.execute(lab.command("gate", "--results", lab.results, *arguments), text=True)
    assert done.returncode == 64, done.stderr
    assert message in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--budget", "soon"], 64, "--budget soon is not a duration"),
        (["--seed", "-1"], 64, "--seed -1 is not a whole number"),
        (["scripted/constnat"], 64, "did you mean scripted/constant"),
        (["--config", "missing.toml"], 64, "missing.toml"),
        (["--config", "/"], 64, "rules of the gate /: it is not a text file"),
        (["--config", "/dev/zero"], 64, "rules of the gate /dev/zero: it is not a text file"),
        (
            ["--junit", "missing/gate.xml"],
            74,
            "cannot write missing/gate.xml: No such file or directory",
        ),
        (["--markdown", "/"], 74, "cannot write /: Is a directory"),
        (["--device", "cuda:7"], 64, "there is no device cuda:7 here"),
    ],
)
def test_bad_values_are_refused_before_anything_is_measured(lab, arguments, code, message):
    done = lab.execute(
        [*lab.gate_command(lab.profile(), PLAIN, PLAIN, "--aa"), *arguments], text=True
    )
    assert (done.returncode, message in done.stderr) == (code, True), done.stderr
    assert not lab.results.exists()


def test_a_pipe_gets_a_line_a_decided_case(lab):
    command = lab.gate_command(
        lab.profile(*VARIANTS), PLAIN, lab.worker("candidate", "--slower", 5), "--seed", 3
    )
    printed = lab.execute(command, text=True).stdout
    assert "\r" not in printed and "\033" not in printed
    lines = re.findall(r"^\[(\d)/6\] (\S+): (\w+)", printed, re.MULTILINE)
    assert [int(count) for count, _, _ in lines] == [1, 2, 3, 4, 5, 6]
    assert {name for _, name, _ in lines} == {case(variant) for variant in VARIANTS}
    again = next(line for line in printed.splitlines() if "repeat: ridgeline gate " in line)
    assert "--seed 3" in again and case("segfault") in again and case("unsupported") not in again


def test_every_format_is_written(lab):
    done = lab.execute(
        [
            *lab.gate_command(
                lab.profile("constant"), PLAIN, lab.worker("candidate", "--slower", 5), "--seed", 3
            ),
            *(
                "--markdown",
                lab.folder / "gate.md",
                "--junit",
                lab.folder / "gate.xml",
                "--github",
                "--json",
                "--quiet",
            ),
        ],
        text=True,
    )
    assert done.returncode == 1
    said = json.loads(done.stdout)
    assert said["exit_code"] == 1
    assert (said["gate"]["finished"],) == lab.query("SELECT finished FROM gate")[0]
    assert case("constant") in (lab.folder / "gate.md").read_text()
    assert "<failure" in (lab.folder / "gate.xml").read_text()
    assert "::error" in done.stderr


def test_an_output_that_cannot_be_written_keeps_no_other_from_being_written(lab):
    # The folder goes while the gate measures.
    folder = lab.folder / "gone"
    folder.mkdir()
    command = lab.gate_command(
        lab.profile("constant", "slow"), PLAIN, PLAIN, "--aa", "--budget", "5s", "--json"
    )
    process = lab.start_command(
        [*command, "--markdown", folder / "gate.md", "--junit", lab.folder / "gate.xml"],
        env=lab.environment,
    )
    lab.wait_for_pairs(1)
    folder.rmdir()
    with process:
        printed, error = process.stdout.read(), process.stderr.read()
    assert process.returncode == 74
    assert f"cannot write {folder}/gate.md: No such file or directory" in error
    assert json.loads(printed)["exit_code"] == 0
    assert "<testcase" in (lab.folder / "gate.xml").read_text()


def test_a_reader_that_goes_away_does_not_end_the_gate(lab):
    command = lab.gate_command(
        lab.profile("constant", "noisy"), PLAIN, lab.worker("candidate", "--slower", 5)
    )
    process = lab.start_command([*command, "--junit", lab.folder / "gate.xml"], env=lab.environment)
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == ""
    assert (
        process.wait(timeout=30) == 74
    )  # as of a run; what is stored and written says what it found
    assert lab.query("SELECT status FROM gate") == [("finished",)]
    assert 'type="exit code 1"' in (lab.folder / "gate.xml").read_text()


def test_rules_decide_per_case(lab):
    rules = lab.folder / "gate.toml"
    rules.write_text(
        '[[rule]]\ncases = "scripted/noisy"\nskip = "flaky"\n\n'
        '[[rule]]\ncases = "scripted/constant"\ndelta = "10%"\n'
    )
    profile, candidate = (
        lab.profile("constant", "noisy", "process_noise"),
        lab.worker("candidate", "--slower", 5),
    )
    code, found = lab.gate(profile, PLAIN, candidate, "--config", rules)
    assert code == 1
    assert named(found) == {"constant": "pass", "noisy": "skipped", "process_noise": "regression"}
    assert found["noisy"]["reason"] == "flaky"
    lab.profile("constant", "noisy")
    assert lab.gate(profile, PLAIN, candidate, "--config", rules, "--strict")[0] == 0
