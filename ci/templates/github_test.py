"""The jobs of the GitHub workflows that run on measuring machines, step by step, with real programs on the CPU.

The job `build` is not run: it would take the minutes of a whole build. Its shell is linted, and its package is made by
the same install rules.
"""

import json
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from ci.templates.conftest import needs
from ci.templates.workflow import Runner

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NIGHTLY, PULL_REQUEST = HERE / "github" / "nightly.yml", HERE / "github" / "pull-request.yml"
# Installing from the network takes long and is not ours to test.
NO_NETWORK = {
    "python3 -m venv venv": f"ln -s {ROOT}/.venv venv",
    "venv/bin/pip install": "test -x venv/bin/python && test -s ridgeline/reports/requirements.txt || echo",
}


@pytest.fixture
def runner(package, machine, profile):
    artifacts = machine / "artifacts"
    for name in ("ridgeline", "ridgeline-baseline", "ridgeline-candidate"):
        (artifacts / name).mkdir(parents=True)
        shutil.copy(package, artifacts / name)
    expressions = {
        "inputs.profile || 'nightly'": str(profile),
        "inputs.unfit || 'skip'": "measure",
        "vars.RIDGELINE_RESULTS": "",
        "vars.RIDGELINE_DEVICE || 'cuda:0'": "cpu",
        "vars.RIDGELINE_GATE_PROFILE || 'quick'": str(profile),
        "vars.RIDGELINE_GATE_BUDGET || '30m'": "5s",
        "github.token": "token",
        "github.repository": "owner/name",
        "github.event.pull_request.number": "7",
        "github.server_url": "https://ci.example",
        "github.run_id": "1",
    }
    home = machine / "home"
    home.mkdir()
    return Runner(home, artifacts, expressions, {}, NO_NETWORK)


def test_a_night_is_measured_collected_and_merged(runner):
    needs("baseline", "trend", "merge")
    first = runner.job(NIGHTLY, "measure", {"gpu": "one"})
    assert first.status == 3, first.output  # there is no baseline yet
    assert "# Night" in runner.summary
    assert "::error title=nightly%3A gate::" in first.output
    assert first.steps[-1] == "actions/upload-artifact@v5", "results are uploaded whatever the night ended with"
    night = json.loads((runner.artifacts / "results-one" / "night" / "night.json").read_text())
    assert night["run"]["outcomes"].keys() <= {"ok", "unstable"}

    baseline = runner.home / "work" / "measure" / "ridgeline" / "bin" / "ridgeline"
    results = runner.home / "ridgeline-results"
    subprocess.run([baseline, "baseline", "set", "main", night["run"]["id"], "--results", results], check=True)
    second = runner.job(NIGHTLY, "measure", {"gpu": "two"})
    assert "gate" in second.output
    assert json.loads((runner.artifacts / "results-two" / "night" / "night.json").read_text())["gate"]["id"]

    runner.summary = ""
    merged = runner.job(NIGHTLY, "merge")
    assert merged.status == 0, merged.output
    assert runner.summary.count(night["run"]["id"]) == 1, "a run that came in two parts is there once"
    assert (runner.artifacts / "nightly" / "report" / "index.html").is_file()


def test_a_night_that_cannot_begin_uploads_no_other_night(runner):
    needs("merge")
    (runner.home / "ridgeline-results" / "nightly" / "20200101T000000Z-000000").mkdir(parents=True)
    (runner.home / "ridgeline-results" / "nightly" / "latest").symlink_to("20200101T000000Z-000000")
    runner.expressions["inputs.profile || 'nightly'"] = "/no/such/profile.toml"
    ran = runner.job(NIGHTLY, "measure", {"gpu": "one"})
    assert ran.status == 64, ran.output
    night = json.loads((runner.artifacts / "results-one" / "night" / "night.json").read_text())
    assert night["exit_code"] == 64


ANOTHER_BUILD = """#!/usr/bin/env python3
import json, subprocess, sys
worker = subprocess.Popen([{program!r}, *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
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


def make_another_build(artifact: Path) -> None:
    """The package again, with a worker that says that it was built from other code."""
    (tarball,) = artifact.iterdir()
    with tarfile.open(tarball) as archive:
        archive.extractall(artifact / "open", filter="data")
    (folder,) = (artifact / "open").iterdir()
    program = folder / "bin" / "ridgeline-suites"
    program.rename(program.with_name("plain-suites"))
    program.write_text(ANOTHER_BUILD.format(program="PLAIN").replace("'PLAIN'", "__file__[:-16] + 'plain-suites'"))
    program.chmod(0o755)
    tarball.unlink()
    with tarfile.open(tarball, "w:gz", compresslevel=1) as archive:
        archive.add(folder, folder.name)
    shutil.rmtree(artifact / "open")


def test_a_pull_request_is_gated_and_told(runner):
    make_another_build(runner.artifacts / "ridgeline-candidate")
    ran = runner.job(PULL_REQUEST, "gate")
    assert ran.status in (0, 1, 3), ran.output  # on a busy machine with a budget of seconds
    table = (runner.artifacts / "gate" / "gate.md").read_text()
    assert table.count("gemm/cache_tiled") >= 1
    assert runner.summary == table
    assert (runner.artifacts / "gate" / "gate.xml").is_file()


def test_a_gate_that_cannot_begin_says_so_in_the_summary(runner):
    ran = runner.job(PULL_REQUEST, "gate")  # both sides are one build, which the gate refuses
    assert ran.status == 64, ran.output
    assert runner.summary == "The gate wrote no table: its log says why.\n"


GH = """#!/usr/bin/env python3
import json, os, sys
from pathlib import Path
arguments = sys.argv[1:]
body = next((Path(argument[6:]).read_text() for argument in arguments if argument.startswith("body=@")), "")
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
def test_the_comment_is_written_once_and_then_replaced(runner, machine, monkeypatch, answer, method, place):
    """With a stand-in for `gh`, which notes what it is told: what GitHub makes of it, only GitHub can say."""
    tools = machine / "tools"
    tools.mkdir()
    (tools / "gh").write_text(GH.format(log=str(machine / "gh.log"), answer=answer))
    (tools / "gh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    (runner.artifacts / "gate").mkdir()
    (runner.artifacts / "gate" / "gate.md").write_text("### table\n" + "±" * 40_000)
    ran = runner.job(PULL_REQUEST, "comment")
    assert ran.status == 0, ran.output
    _, (arguments, body, token) = [json.loads(line) for line in (machine / "gh.log").read_text().splitlines()]
    assert arguments[:4] == ["api", "--method", method, place]
    assert token == "token"
    assert body.startswith("<!-- ridgeline gate -->\n### table\n±")
    assert "cut here" in body
    assert body.endswith("(https://ci.example/owner/name/actions/runs/1)\n")
    assert len(body) < 65_536
