"""Runs the shell parts of a workflow as GitHub's runner would, in folders of this machine: for tests of the templates.

`uses` steps are played: artifacts are folders that are copied, a checkout is left to the caller. Expressions are looked
up in a table of the caller's; one that is not there is an error, so that no step runs with a text that GitHub would
replace.
"""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import yaml

EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
SHELL = [
    "bash",
    "--noprofile",
    "--norc",
    "-eo",
    "pipefail",
    "-c",
]  # GitHub's for `shell: bash`, stricter than its default


@dataclass
class Ran:
    status: int = 0  # of the first step that failed
    output: str = ""
    steps: list[str] = field(default_factory=list)  # names of those that were run


@dataclass
class Runner:
    """A machine with a home and a workspace, and the artifacts that jobs hand to one another."""

    home: Path
    artifacts: Path
    expressions: dict[str, str]
    environment: dict[str, str]
    replaced: dict[str, str] = field(default_factory=dict)  # parts of shell texts that cannot be run here, by what can
    summary: str = ""

    def job(self, workflow: Path, name: str, matrix: dict[str, str] | None = None) -> Ran:
        job = yaml.safe_load(workflow.read_text())["jobs"][name]
        table = {**self.expressions, **{f"matrix.{key}": value for key, value in (matrix or {}).items()}}
        workspace = self.home / "work" / name
        workspace.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, **self.environment, "HOME": str(self.home)}
        environment.pop("RIDGELINE_RESULTS", None)
        environment.update(evaluated(job.get("env", {}), table))
        ran = Ran()
        for step in job["steps"]:
            always = "always()" in str(step.get("if", ""))
            if ran.status and not always:
                continue
            ran.steps.append(step.get("name") or step["uses"])
            if "uses" in step:
                self.use(step, workspace, table)
                continue
            status, output = self.shell(step, workspace, environment, table)
            ran.output += output
            ran.status = ran.status or status
        return ran

    def shell(self, step: dict, workspace: Path, environment: dict, table: dict) -> tuple[int, str]:
        files = {name: self.home / name.lower() for name in ("GITHUB_ENV", "GITHUB_STEP_SUMMARY")}
        for path in files.values():
            path.write_text("")
        step_environment = {**environment, **evaluated(step.get("env", {}), table)}
        step_environment.update({name: str(path) for name, path in files.items()})
        done = subprocess.run(
            [*SHELL, self.runnable(evaluate(step["run"], table))],
            cwd=workspace,
            env=step_environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        for line in files["GITHUB_ENV"].read_text().splitlines():
            name, _, value = line.partition("=")
            environment[name] = value
        self.summary += files["GITHUB_STEP_SUMMARY"].read_text()
        return done.returncode, done.stdout

    def runnable(self, text: str) -> str:
        for part, instead in self.replaced.items():
            text = text.replace(part, instead)
        return text

    def use(self, step: dict, workspace: Path, table: dict) -> None:
        what, given = step["uses"].split("@")[0], evaluated(step.get("with", {}), table)
        if what == "actions/upload-artifact":
            self.upload(workspace, given)
        elif what == "actions/download-artifact":
            self.download(workspace, given)
        else:
            raise AssertionError(f"{step['uses']} cannot be played here")

    def upload(self, workspace: Path, given: dict) -> None:
        target = self.artifacts / given["name"]
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        found = sorted(workspace.glob(given["path"]))
        assert found, f"no files at {given['path']}"
        for path in found:  # a folder's contents, or files by their names
            if path.is_dir():
                shutil.copytree(path, target, dirs_exist_ok=True)
            else:
                shutil.copy2(path, target)

    def download(self, workspace: Path, given: dict) -> None:
        target = workspace / given.get("path", ".")
        if "name" in given:
            shutil.copytree(self.artifacts / given["name"], target, dirs_exist_ok=True)
            return
        found = sorted(self.artifacts.glob(given["pattern"]))
        assert found, f"no artifact is named {given['pattern']}"
        for path in found:  # with a pattern, each into a folder of its name
            shutil.copytree(path, target / path.name, dirs_exist_ok=True)


def evaluate(text: str, table: dict[str, str]) -> str:
    return EXPRESSION.sub(lambda found: table[found[1]], str(text))


def evaluated(texts: dict, table: dict[str, str]) -> dict[str, str]:
    return {name: evaluate(text, table) for name, text in texts.items()}


def shell_parts(workflow: Path) -> dict[str, str]:
    """Every `run` by "job: step", with expressions made into a plain word, for shellcheck."""
    parts = {}
    for name, job in yaml.safe_load(workflow.read_text())["jobs"].items():
        for step in job["steps"]:
            if "run" in step:
                parts[f"{name}: {step['name']}"] = EXPRESSION.sub("expression", step["run"])
    return parts
