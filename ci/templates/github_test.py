"""The shell steps of the GitHub workflows that run on measuring machines, with real programs on the
CPU.

What GitHub itself does between them is left to it: artifacts are placed by the tests, and what
stands for an expression is a value of the environment, where the workflows have them all. The job
`build` is not run: it would take minutes. Its shell is linted, and its package is made by the same
install rules.
"""

import json
import os
import shutil
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from ci.templates.conftest import needs

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NIGHTLY, PULL_REQUEST = HERE / "github" / "nightly.yml", HERE / "github" / "pull-request.yml"
# GitHub's for `shell: bash`, stricter than its default.
SHELL = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]
# Installing from the network takes long and is not ours to test.
NO_NETWORK = {
    "python3 -m venv venv": f"ln -s {ROOT}/.venv venv",
    "venv/bin/pip install": (
        "test -x venv/bin/python && test -s ridgeline/reports/requirements.txt || echo"
    ),
}


@dataclass
class Job:
    """A job on a machine of its own: its shell steps are run by their names."""

    workflow: Path
    name: str
    workspace: Path
    environment: dict[str, str]

    def __post_init__(self):
        self.workspace.mkdir()
        self.summary = ""
        job = yaml.safe_load(self.workflow.read_text())["jobs"][self.name]
        self.texts = {step["name"]: step["run"] for step in job["steps"] if "run" in step}
        named = set().union(*(part.get("env", {}) for part in (job, *job["steps"])))
        assert named == self.environment.keys() - {"HOME", "PATH"}

    def run(self, step: str) -> subprocess.CompletedProcess:
        text = self.texts[step]
        assert "${{" not in text, (
            "an expression that is part of a shell text is code of whoever sets it"
        )
        for part, instead in NO_NETWORK.items():
            text = text.replace(part, instead)
        files = {
            name: self.workspace.parent / name.lower()
            for name in ("GITHUB_ENV", "GITHUB_STEP_SUMMARY")
        }
        for path in files.values():
            path.write_text("")
        done = subprocess.run(
            [*SHELL, text],
            cwd=self.workspace,
            env={
                **os.environ,
                **self.environment,
                **{name: str(path) for name, path in files.items()},
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        self.environment.update(
            line.split("=", 1) for line in files["GITHUB_ENV"].read_text().splitlines()
        )
        self.summary += files["GITHUB_STEP_SUMMARY"].read_text()
        return done

    def passes(self, *steps: str) -> None:
        for step in steps:
            done = self.run(step)
            assert done.returncode == 0, f"{step}: {done.stdout}"


@pytest.fixture
def measure(package, machine, profile):
    """The job of a night on a GPU runner, whose package has come."""
    home = machine / "home"
    home.mkdir()
    environment = {
        "HOME": str(home),
        "DEVICE": "cpu",
        "PROFILE": str(profile),
        "UNFIT": "measure",
        "RESULTS": "",
    }
    job = Job(NIGHTLY, "measure", machine / "measure", environment)
    job.passes("Clear what an earlier night left in the workspace")
    place(package, job.workspace / "package")
    job.passes("Unpack")
    return job


def place(package: Path, folder: Path) -> Path:
    folder.mkdir(parents=True)
    return Path(shutil.copy(package, folder))


def test_a_night_is_measured_collected_and_merged(measure, package, machine):
    needs("baseline", "trend", "merge")
    first = measure.run("Night")
    assert first.returncode == 3, first.stdout  # there is no baseline yet
    assert "# Night" in measure.summary
    assert "::error title=nightly%3A gate::" in first.stdout
    measure.passes("Collect")
    upload = measure.workspace / "upload"
    night = json.loads((upload / "night" / "night.json").read_text())
    assert night["run"]["outcomes"].keys() <= {"ok", "unstable"}
    parts = machine / "merge" / "parts"
    merge = Job(NIGHTLY, "merge", parts.parent, {})
    shutil.copytree(upload, parts / "results-one")

    ridgeline = measure.workspace / "ridgeline" / "bin" / "ridgeline"
    results = measure.environment["RIDGELINE_RESULTS"]
    assert results == str(machine / "home" / "ridgeline-results")
    subprocess.run(
        [ridgeline, "baseline", "set", "main", night["run"]["id"], "--results", results], check=True
    )
    second = measure.run("Night")
    assert "gate" in second.stdout
    shutil.rmtree(upload)
    measure.passes("Collect")
    assert json.loads((upload / "night" / "night.json").read_text())["gate"]["id"]
    shutil.copytree(upload, parts / "results-two")

    place(package, merge.workspace / "package")
    merge.passes("Unpack", "Merge", "Report", "Summary")
    assert merge.summary.count(night["run"]["id"]) == 1, (
        "a run that came in two parts is there once"
    )
    assert (merge.workspace / "results" / "report" / "index.html").is_file()


def test_labels_and_names_end_no_block_of_code(tmp_path):
    merge = Job(NIGHTLY, "merge", tmp_path / "merge", {})
    ridgeline = merge.workspace / "ridgeline" / "bin" / "ridgeline"
    ridgeline.parent.mkdir(parents=True)
    ridgeline.write_text("#!/bin/sh\nyes '```\n<img src=x>\n# label' | head -n 1000\n")
    ridgeline.chmod(0o755)
    merge.passes("Summary")
    lines = merge.summary.splitlines()
    of_others = [line for line in lines if "```" in line or "<img" in line or "# label" in line]
    assert len(of_others) == 40
    assert all(line.startswith("    ") for line in of_others)
    assert lines[lines.index(of_others[0]) - 1] == ""


def test_a_night_that_cannot_begin_uploads_no_other_night(measure, machine):
    needs("merge")
    nights = machine / "home" / "ridgeline-results" / "nightly"
    (nights / "20200101T000000Z-000000").mkdir(parents=True)
    (nights / "latest").symlink_to("20200101T000000Z-000000")
    measure.environment["PROFILE"] = "/no/such/profile.toml"
    ran = measure.run("Night")
    assert ran.returncode == 64, ran.stdout
    measure.run("Collect")
    assert (
        json.loads((measure.workspace / "upload" / "night" / "night.json").read_text())["exit_code"]
        == 64
    )


ANOTHER_BUILD = """#!/usr/bin/env python3
import json, subprocess, sys
pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
worker = subprocess.Popen([{program!r}, *sys.argv[1:]], **pipes)
for line in sys.stdin:
    worker.stdin.write(line)
    worker.stdin.flush()
    text = worker.stdout.readline()
    if not text:
        break
    answer = json.loads(text)
    if "build" in answer:
        answer["build"].update(code_hash="0" * 40)
    print(json.dumps(answer), flush=True)
worker.stdin.close()
sys.exit(worker.wait())
"""


def make_another_build(tarball: Path) -> None:
    """The package again, with a worker that says that it was built from other code."""
    artifact = tarball.parent
    with tarfile.open(tarball) as archive:
        archive.extractall(artifact / "open", filter="data")
    (folder,) = (artifact / "open").iterdir()
    program = folder / "bin" / "ridgeline-suites"
    program.rename(program.with_name("plain-suites"))
    program.write_text(
        ANOTHER_BUILD.format(program="PLAIN").replace("'PLAIN'", "__file__[:-16] + 'plain-suites'")
    )
    program.chmod(0o755)
    tarball.unlink()
    with tarfile.open(tarball, "w:gz", compresslevel=1) as archive:
        archive.add(folder, folder.name)
    shutil.rmtree(artifact / "open")


@pytest.fixture
def gate(package, machine, profile):
    """The job of a pull request on a GPU runner, whose two packages, of one build, have come."""
    environment = {"HOME": str(machine), "DEVICE": "cpu", "PROFILE": str(profile), "BUDGET": "5s"}
    job = Job(PULL_REQUEST, "gate", machine / "gate", environment)
    job.passes("Clear what an earlier gate left in the workspace")
    for side in ("baseline", "candidate"):
        place(package, job.workspace / "package" / side)
    return job


def test_a_pull_request_is_gated_and_told(gate):
    (candidate,) = (gate.workspace / "package" / "candidate").iterdir()
    make_another_build(candidate)
    gate.passes("Unpack", "Preflight")
    ran = gate.run("Gate")
    assert ran.returncode in (0, 1, 3), ran.stdout  # on a busy machine with a budget of seconds
    gate.passes("Summary")
    table = (gate.workspace / "gate" / "gate.md").read_text()
    assert table.count("gemm/cache_tiled") >= 1
    assert gate.summary == table
    assert (gate.workspace / "gate" / "gate.xml").is_file()


def test_a_gate_that_cannot_begin_says_so_in_the_summary(gate):
    gate.passes("Unpack", "Preflight")
    (gate.workspace / "candidate" / "bin" / "ridgeline-suites").unlink()
    ran = gate.run("Gate")
    assert ran.returncode == 69, ran.stdout
    gate.passes("Summary")
    assert gate.summary == "The gate wrote no table: its log says why.\n"


GH = """#!/usr/bin/env python3
import json, os, sys
from pathlib import Path
arguments = sys.argv[1:]
files = [argument[6:] for argument in arguments if argument.startswith("body=@")]
body = Path(files[0]).read_text() if files else ""
with Path({log!r}).open("a") as log:
    log.write(json.dumps([arguments, body, os.environ["GH_TOKEN"]]) + "\\n")
if "--method" not in arguments:
    print({answer!r})
"""


@pytest.mark.parametrize(
    ("answer", "method", "place"),
    [
        ("", "POST", "repos/owner/name/issues/7/comments"),
        ("41", "PATCH", "repos/owner/name/issues/comments/41"),
    ],
)
def test_the_comment_is_written_once_and_then_replaced(machine, answer, method, place):
    """With a stand-in for `gh`, which notes what it is told: what GitHub makes of it, only GitHub
    can say."""
    tools = machine / "tools"
    tools.mkdir()
    (tools / "gh").write_text(GH.format(log=str(machine / "gh.log"), answer=answer))
    (tools / "gh").chmod(0o755)
    environment = {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "GH_TOKEN": "token",
        "COMMENTS": "repos/owner/name/issues/7/comments",
        "COMMENT": "repos/owner/name/issues/comments",
        "RUN_URL": "https://ci.example/owner/name/actions/runs/1",
    }
    job = Job(PULL_REQUEST, "comment", machine / "comment", environment)
    (job.workspace / "gate").mkdir()
    (job.workspace / "gate" / "gate.md").write_text("### table\n" + "±" * 40_000)
    job.passes("Comment")
    _, (arguments, body, token) = [
        json.loads(line) for line in (machine / "gh.log").read_text().splitlines()
    ]
    assert arguments[:4] == ["api", "--method", method, place]
    assert token == "token"
    assert body.startswith("<!-- ridgeline gate -->\n### table\n±")
    assert "cut here" in body
    assert body.endswith("(https://ci.example/owner/name/actions/runs/1)\n")
    assert len(body) < 65_536
