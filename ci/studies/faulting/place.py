"""The programs of a campaign, and the folder of one trial with everything that they use there."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ci.studies.faulting.processes import VARIABLE

ROOT = Path(__file__).resolve().parents[3]
LONGEST_S = 120  # for a program that is not disturbed
PROFILE = """description = "for faults"
processes = {processes}
budget = "{budget}"
case_timeout = "{case_timeout}"

[sampling]
target = 0.05
unstable = 0.5
min_samples = 10
max_samples = 50
warmup = "5ms"

[{kind}]
cases = [{cases}]
"""


@dataclass(frozen=True)
class Programs:
    """What is tried. `cases`: names or globs of a worker that is not the scripted one."""

    ridgeline: Path
    worker: Path
    device: str = "fake"
    cases: tuple[str, ...] = ()

    @property
    def scripted(self) -> bool:
        return not self.cases

    @property
    def kind(self) -> str:
        """As profiles call the kind of the device."""
        return self.device.partition(":")[0]


@dataclass(frozen=True)
class Done:
    """How a program ended: `code` as in subprocess, negative for a signal."""

    code: int
    output: str
    errors: str

    def last_words(self) -> str:
        return " ".join((self.errors or self.output).split())[-300:]


class Place:
    """A folder with results, temporary files and locks of its own; every process that is started
    here has its mark."""

    def __init__(self, folder: Path, programs: Programs):
        self.folder, self.programs = folder, programs
        self.results = folder / "results"
        self.temporary = folder / "tmp"
        self.mark = secrets.token_hex(12)
        locks = folder / "locks"
        for each in (self.temporary, locks):
            each.mkdir(parents=True)
        kept = {name: value for name, value in os.environ.items() if not _ours(name)}
        self.environment = {
            **kept,
            VARIABLE: self.mark,
            "RIDGELINE_LOCKS": str(locks),
            "RIDGELINE_HOME": str(ROOT),
            "TMPDIR": str(self.temporary),
            "MPLCONFIGDIR": str(
                folder.parent / "matplotlib"
            ),  # shared: its list of fonts takes long
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def profile(
        self, *variants: str, processes: int = 1, case_timeout: str = "20s", name: str = "faults"
    ) -> Path:
        """Of these scripted variants; of the campaign's cases where the worker is another, which
        takes real time and gets few processes."""
        scripted = self.programs.scripted
        cases = self.programs.cases or [f"scripted/{one}/f32/n=16" for one in variants]
        path = self.folder / f"{name}.toml"
        path.write_text(
            PROFILE.format(
                processes=processes if scripted else min(processes, 2),
                budget="60s" if scripted else "10s",
                case_timeout=case_timeout if scripted else "60s",
                kind=self.programs.kind,
                cases=", ".join(f'"{one}"' for one in cases),
            )
        )
        return path

    def command(self, *arguments: object) -> list[str]:
        return [str(self.programs.ridgeline), *map(str, arguments), "--results", str(self.results)]

    def on_device(self, *arguments: object) -> list[str]:
        return self.command(*arguments, "--device", self.programs.device)

    def run_command(self, profile: Path, *arguments: object) -> list[str]:
        worker = ("--worker", self.programs.worker)
        return self.on_device("run", "--profile", profile, *worker, *arguments)

    def start(self, command: Sequence[str], **variables: str) -> subprocess.Popen:
        """As the leader of a session; what it prints is in the files `output` and `errors`."""
        with (self.folder / "output").open("wb") as out, (self.folder / "errors").open("wb") as err:
            return subprocess.Popen(
                command,
                env={**self.environment, **variables},
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    def printed(self, code: int) -> Done:
        """What the program that was started has said until now."""
        out, err = (
            (self.folder / name).read_text(errors="replace") for name in ("output", "errors")
        )
        return Done(code, out, err)

    def call(self, command: Sequence[str], **variables: str) -> Done:
        """To its end. One that takes too long is killed, and its code is that of SIGKILL."""
        with self.start(command, **variables) as process:
            try:
                process.wait(LONGEST_S)
            except subprocess.TimeoutExpired:
                process.kill()
        return self.printed(process.returncode)

    def ask(self, *arguments: object) -> Done:
        return self.call(self.command(*arguments))

    def begin_with(self, results: Path | None) -> None:
        """Puts a copy of a folder of results here, or nothing."""
        shutil.rmtree(self.results, ignore_errors=True)
        if results and results.exists():
            shutil.copytree(results, self.results, symlinks=True)

    def leftovers(self) -> list[str]:
        """Names of what is no result: temporary files, and what has another's name until it is
        whole."""
        found = [f"tmp/{path.name}" for path in self.temporary.iterdir()]
        for folder, folders, files in os.walk(self.results):
            for name in [*folders, *files]:
                if name.startswith(".") or name.endswith((".tmp", ".part")):
                    found.append(str(Path(folder, name).relative_to(self.results)))
        return sorted(found)


def _ours(name: str) -> bool:
    return name.startswith("RIDGELINE_") or name == "LD_PRELOAD"
