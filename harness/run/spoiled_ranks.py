"""Measures collectives while rank 1 misbehaves, under the real mpirun, and holds what is stored
against what must be."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from harness.run.scripted_runs import BUILD, Lab

WORKER = BUILD / "ridgeline-collectives"
MEASURED = ("ok", "unstable", "invalid_environment")
# For a library that stands before a real one, and spoils what rank 1 does.
MISBEHAVES = """
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int misbehaves(void) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  return rank != NULL && strcmp(rank, "1") == 0;
}
"""
# In an operation each, before Open MPI's, whose handles are pointers.
STOPS_AND_HANGS = """
int PMPI_Sendrecv(const void*, int, void*, int, int, void*, int, void*, int, int, void*, void*);
int MPI_Sendrecv(const void* sent, int count, void* of, int to, int tag, void* received, int room,
                 void* as, int from, int its_tag, void* ranks, void* status) {
  if (misbehaves()) kill(getpid(), SIGSTOP);
  return PMPI_Sendrecv(sent, count, of, to, tag, received, room, as, from, its_tag, ranks, status);
}

int PMPI_Scatter(const void*, int, void*, void*, int, void*, int, void*);
int MPI_Scatter(const void* sent, int count, void* of, void* received, int room, void* as, int root,
                void* ranks) {
  while (misbehaves()) pause();
  return PMPI_Scatter(sent, count, of, received, room, as, root, ranks);
}
"""


def library(folder: Path, name: str, source: str) -> Path:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("cc not found, which compiles the faults")
    file = folder / f"{name}.c"
    file.write_text(MISBEHAVES + source)
    made = folder / name
    subprocess.run([compiler, "-shared", "-fPIC", "-o", made, file, "-ldl"], check=True)
    return made


def run(
    lab: Lab, device: str, cases: list[str], case_s: int, seed: int, before: str, *options: object
):
    """One process of each of these on two ranks, whose shells do `before` first."""
    worker = lab.folder / WORKER.name
    worker.write_text(f'#!/bin/sh\n{before}\nexec {WORKER} "$@"\n')
    worker.chmod(0o755)
    profile = lab.profile(case_timeout=f"{case_s}s", budget="300s", warmup="1ms")
    kind = device.partition(":")[0]
    profile.write_text(f"{profile.read_text()}\n[{kind}]\ncases = {cases}\n".replace("'", '"'))
    # Where more runs than there are cores, ranks that spin while they wait keep each other waiting.
    lab.environment["OMPI_MCA_mpi_yield_when_idle"] = "1"
    lab.environment["TMPDIR"] = str(lab.folder)
    return lab.call(
        *("run", "--device", device, "--profile", profile, "--results", lab.results),
        *("--worker", worker, "--expect-ranks", 2, "--seed", seed, *options),
        text=True,
        timeout=240,
    )


def check(lab: Lab, done: subprocess.CompletedProcess, faults: dict[str, tuple[str, str]]) -> None:
    """`faults` are outcomes and what their reasons hold, by case. All others are measured, the last
    of all among them; nothing else is left."""
    assert done.returncode == 2, done.stdout + done.stderr
    (lab.database,) = lab.results.glob("*.sqlite")
    assert lab.is_intact()
    assert lab.query("SELECT status FROM run") == [("finished",)]
    stored = lab.outcomes()
    assert list(stored)[-1] not in faults, "nothing shows that the last fault spoils its case only"
    for case, (outcome, reason) in faults.items():
        *before, (found, why) = stored.pop(case)
        assert (found, bool(re.search(reason, why))) == (outcome, True), f"{case}: {found}: {why}"
        # Once, but after a pause of the machine.
        assert all("the machine stood still" in why for _, why in before), before
    assert stored and all(rows[-1][0] in MEASURED for rows in stored.values()), stored
    assert not list(lab.folder.glob("ridgeline-ranks-*")), "what Open MPI keeps is gone"
    assert not list(lab.folder.glob("ompi.*"))
