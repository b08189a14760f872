"""A real Slurm of one node for tests, of the distribution's programs: on loopback, with all that it
keeps in a folder of the test, and stopped at its end."""

import contextlib
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

from harness.run.scripted_runs import adopt_orphans, left_behind

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "sinfo", "scancel")
ADMINS = "/usr/sbin:/usr/local/sbin"
CONFIGURATION = """ClusterName=ridgeline-test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
AuthInfo=socket={folder}/munge.socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
KillWait=5
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def program(name: str) -> str:
    return shutil.which(name) or shutil.which(name, path=ADMINS) or ""


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Cluster:
    def __init__(self, folder: Path):
        self.folder = folder
        self.daemons: list[subprocess.Popen] = []
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
        for name in [name for name in self.environment if name.startswith("SLURM_JOB")]:
            del self.environment[name]

    def start(self) -> None:
        for name in ("state", "spool"):
            (self.folder / name).mkdir(parents=True)
        self.folder.chmod(0o755)  # munged wants to know that nobody else can write here
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        (self.folder / "slurm.conf").write_text(
            CONFIGURATION.format(
                host=socket.gethostname().split(".")[0],
                folder=self.folder,
                controller_port=free_port(),
                node_port=free_port(),
                cores=os.cpu_count(),
            )
        )
        files = {"socket": "munge.socket", "pid-file": "munged.pid", "seed-file": "munge.seed"}
        self.daemon(
            *("munged", "--foreground", "--force", f"--key-file={key}"),
            *(f"--{option}={self.folder / name}" for option, name in files.items()),
        )
        self.wait_for(lambda: (self.folder / "munge.socket").exists(), "munged")
        self.daemon("slurmctld", "-D")
        self.daemon("slurmd", "-D")
        self.wait_for(lambda: "idle" in self.ask("sinfo", "--noheader", "--format=%T"), "the node")

    def daemon(self, name: str, *arguments: str) -> None:
        with (self.folder / f"{name}.said").open("wb") as said:
            self.daemons.append(
                subprocess.Popen(
                    [program(name), *arguments],
                    env=self.environment,
                    cwd=self.folder,
                    stdin=subprocess.DEVNULL,
                    stdout=said,
                    stderr=said,
                )
            )

    def ask(self, name: str, *arguments: str) -> str:
        return self.call(name, *arguments, timeout=60).stdout

    def call(self, name: str, *arguments: object, timeout: float, **environment: str):
        return subprocess.run(
            [program(name), *map(str, arguments)],
            env=self.environment | environment,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    def wait_for(self, done, what: str) -> None:
        deadline = time.monotonic() + 60
        while not done():
            ended = [daemon.args[0] for daemon in self.daemons if daemon.poll() is not None]
            if ended or time.monotonic() > deadline:
                logs = [*self.folder.glob("*.said"), *self.folder.glob("slurm*.log")]
                said = "\n".join(path.read_text(errors="replace")[-500:] for path in logs)
                pytest.skip(f"Slurm does not start here, {what} is missing: {said}")
            time.sleep(0.1)

    def job(self, script: Path, *arguments: object, options=(), timeout: float, **environment: str):
        """Submits a job and waits for its end; its exit code, and what it said."""
        said = self.folder / "job.log"
        line = ["--wait", f"--output={said}", "--gres=none", *options, script, *arguments]
        done = self.call("sbatch", *line, timeout=timeout, **environment)
        text = said.read_text(errors="replace") if said.exists() else ""
        return done.returncode, text + done.stderr

    def stop(self) -> None:
        if len(self.daemons) == 3:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.call("scancel", "--full", "--user=root", timeout=30)
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(timeout=30)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


@contextlib.contextmanager
def cluster(folder: Path):
    """Skips the test where there cannot be one."""
    if os.geteuid() != 0:
        pytest.skip("Slurm's programs start jobs as root alone")
    if missing := [name for name in PROGRAMS if not program(name)]:
        pytest.skip(f"{', '.join(missing)} not found (ci/setup --slurm installs them)")
    adopt_orphans()
    left_behind(wait_s=5)  # of other tests
    one = Cluster(folder)
    try:
        one.start()
        yield one
    finally:
        one.stop()
    assert left_behind(wait_s=30) == [], "nothing of Slurm's runs on"
