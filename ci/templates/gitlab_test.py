"""The scripts of the GitLab pipeline that run on measuring and merging machines, with real programs
on the CPU."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from ci.templates.conftest import needs

HERE = Path(__file__).resolve().parent
PIPELINE = HERE / "gitlab" / "nightly.gitlab-ci.yml"
VENV = HERE.parent.parent / ".venv"


@pytest.fixture
def pipeline(package, machine, profile):
    """Runs a job's scripts in one project folder; each script is a shell of its own, as GitLab has
    it."""
    project = machine / "project"
    (project / "package").mkdir(parents=True)
    shutil.copy(package, project / "package")
    environment = {
        **os.environ,
        "HOME": str(machine),
        "DEVICE": "cpu",
        "PROFILE": str(profile),
        "UNFIT": "measure",
    }
    jobs = yaml.safe_load(PIPELINE.read_text())

    def run(job: str) -> tuple[int, str]:
        results = []
        for part in ("script", "after_script"):
            text = "\n".join(jobs[job].get(part, []))
            text = text.replace("python3 -m venv venv", f"ln -s {VENV} venv").replace(
                "venv/bin/pip install", "echo"
            )
            shell = ["bash", "-eo", "pipefail", "-c", text]
            done = subprocess.run(
                shell,
                cwd=project,
                env=environment,
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
            results.append((done.returncode, done.stdout + done.stderr))
        assert results[1][0] == 0, results[1][1]
        return results[0]

    run.project = project
    return run


def test_a_night_is_measured_and_merged(pipeline):
    needs("trend", "merge")
    code, said = pipeline("measure")
    assert code == 3, said  # there is no baseline yet; a warning in GitLab
    night = json.loads((pipeline.project / "upload" / "night" / "night.json").read_text())
    assert night["run"]["status"] == "finished"
    code, said = pipeline("merge")
    assert code == 0, said
    assert f"# Night {night['id']}" in said
    assert (pipeline.project / "results" / "report" / "index.html").is_file()
