"""Each template before its own judge: schema, yamllint, shellcheck, systemd-analyze."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

HERE = Path(__file__).resolve().parent
VENV = HERE.parent.parent / ".venv" / "bin"
GITHUB = sorted(HERE.glob("github/*.yml"))
GITLAB = sorted(HERE.glob("gitlab/*.yml"))
MANIFESTS = sorted(HERE.glob("kubernetes/*.yaml"))
SCRIPTS = sorted(HERE.glob("slurm/*.sbatch"))
UNITS = sorted(HERE.glob("systemd/*"))
STRICT = (
    "{extends: default, rules: {line-length: {max: 130}, document-start: disable, truthy: "
    "{check-keys: false}}}"
)


def tool(name: str) -> str:
    found = shutil.which(name, path=str(VENV)) or shutil.which(name)
    if not found:
        pytest.skip(f"{name} is not installed (ci/setup --dev installs what can be had)")
    return found


def passes(*command: object, **options) -> None:
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=120, check=False, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr


def name(path: Path) -> str:
    return path.name


@pytest.mark.parametrize("path", [*GITHUB, *GITLAB, *MANIFESTS], ids=name)
def test_yaml_is_tidy(path):
    passes(tool("yamllint"), "--strict", "-d", STRICT, path)


@pytest.mark.parametrize("path", GITHUB, ids=name)
@pytest.mark.parametrize(
    "schema", ["vendor.github-workflows", "custom.github-workflows-require-timeout"]
)
def test_github_knows_every_key(path, schema):
    passes(tool("check-jsonschema"), "--builtin-schema", schema, path)


@pytest.mark.parametrize("path", GITLAB, ids=name)
def test_gitlab_knows_every_key(path):
    passes(
        tool("check-jsonschema"),
        "--builtin-schema",
        "vendor.gitlab-ci",
        "--data-transform",
        "gitlab-ci",
        path,
    )


@pytest.mark.parametrize("path", GITHUB, ids=name)
def test_actionlint_has_nothing_to_say(path):
    passes(tool("actionlint"), path)  # neither Debian nor PyPI has it ready to run


@pytest.mark.parametrize("path", GITHUB, ids=name)
def test_shell_of_workflows_is_sound(path):
    jobs = yaml.safe_load(path.read_text())["jobs"]
    for step in [step for job in jobs.values() for step in job["steps"] if "run" in step]:
        done = subprocess.run(
            [tool("shellcheck"), "--shell=bash", "-"],
            input=step["run"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{step['name']}:\n{done.stdout}"


@pytest.mark.parametrize("path", GITLAB, ids=name)
def test_shell_of_pipelines_is_sound(path):
    for job, keys in yaml.safe_load(path.read_text()).items():
        for part in ("before_script", "script", "after_script"):
            text = "\n".join(keys.get(part, [])) if isinstance(keys, dict) else ""
            done = subprocess.run(
                [tool("shellcheck"), "--shell=bash", "-"],
                input=text,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, f"{job}, {part}:\n{done.stdout}"


def test_the_container_recipe_is_sound():
    passes(tool("hadolint"), HERE.parent / "Containerfile")


@pytest.mark.parametrize("path", SCRIPTS, ids=name)
def test_scripts_are_sound(path):
    passes(tool("shellcheck"), path)


def test_systemd_knows_every_key(tmp_path):
    """With programs and documents where they would be after installation: the units themselves are
    judged."""
    program = tmp_path / "nightly"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for unit in UNITS:
        text = unit.read_text()
        (tmp_path / unit.name).write_text(text.replace("/opt/ridgeline/ci/nightly", str(program)))
    passes(tool("systemd-analyze"), "verify", "--man=no", *(tmp_path / unit.name for unit in UNITS))


def test_the_timer_fires_each_night():
    (calendar,) = re.findall(
        r"^OnCalendar=(.*)$", (HERE / "systemd" / "ridgeline-nightly.timer").read_text(), re.M
    )
    passes(tool("systemd-analyze"), "calendar", calendar)


@pytest.mark.parametrize("path", GITHUB, ids=name)
def test_nothing_in_a_workflow_is_open_to_attack(path):
    passes(tool("zizmor"), "--offline", "--no-progress", "--config", HERE / "zizmor.yml", path)


@pytest.mark.parametrize("path", GITHUB, ids=name)
def test_rights_are_least(path):
    workflow = yaml.safe_load(path.read_text())
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        asked = set(job.get("permissions", {}))
        if path.name == "release.yml" and asked:  # it attaches files, and runs none of the clone's
            assert asked == {"contents"}
            assert not any("checkout" in step.get("uses", "") for step in job["steps"])
        else:
            assert asked <= {"pull-requests"}


@pytest.mark.parametrize(
    ("workflow", "job", "step"), [("nightly", "measure", "Night"), ("pull-request", "gate", "Gate")]
)
def test_results_are_kept_whatever_the_measuring_ended_with(workflow, job, step):
    steps = yaml.safe_load((HERE / "github" / f"{workflow}.yml").read_text())["jobs"][job]["steps"]
    (at,) = [place for place, one in enumerate(steps) if one.get("name") == step]
    assert [one.get("if") for one in steps[at + 1 :]] == ["always()"] * 2
    assert steps[-1]["uses"].startswith("actions/upload-artifact@")


@pytest.mark.parametrize(
    "path", sorted(path for path in HERE.rglob("*") if path.is_file() and path.suffix != ".pyc")
)
def test_no_template_names_a_secret_or_a_host(path):
    if path.suffix == ".py":
        return
    text = path.read_text()
    assert not re.search(r"secrets\.|password|https?://", text, re.I)
