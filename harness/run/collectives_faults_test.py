"""Whatever a rank does costs its case only: under the real mpirun, each fault ends within the
case's time, its outcome is stored, the next case is measured, and nothing is left.

A library before MPI's has rank 1 misbehave, in another way in each operation. One run has them all:
what a test of faults takes is mostly waiting for deadlines.
"""

import os
import re
import shutil
import subprocess

import pytest

from harness.run.scripted_runs import BUILD

WORKER = BUILD / "ridgeline-collectives"
CASE_S = 5
CASE = "collectives/mpi/f32/op={},ranks=2,bytes=1024,mode=isolated,calls=1"

# Handles of Open MPI are pointers.
SHIM = r"""
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int misbehaves(void) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  return rank != NULL && strcmp(rank, "1") == 0;
}

int PMPI_Alltoall(const void*, int, void*, void*, int, void*, void*);
int MPI_Alltoall(const void* sent, int count, void* of, void* received, int room, void* as,
                 void* ranks) {
  if (misbehaves()) kill(getpid(), SIGKILL);
  return PMPI_Alltoall(sent, count, of, received, room, as, ranks);
}

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

int PMPI_Gather(const void*, int, void*, void*, int, void*, int, void*);
int MPI_Gather(const void* sent, int count, void* of, void* received, int room, void* as, int root,
               void* ranks) {
  if (misbehaves()) kill(getppid(), SIGKILL);
  return PMPI_Gather(sent, count, of, received, room, as, root, ranks);
}

int PMPI_Allgather(const void*, int, void*, void*, int, void*, void*);
int MPI_Allgather(const void* sent, int count, void* of, void* received, int room, void* as,
                  void* ranks) {
  const int status = PMPI_Allgather(sent, count, of, received, room, as, ranks);
  if (misbehaves()) ((float*)received)[7] += 1;
  return status;
}
"""
OVER = rf"killed while preparing: the case's {CASE_S}\.00 s were over"
# What must be stored of each operation that rank 1 spoils.
FAULTS = {
    "all_to_all": ("crashed", "while preparing: the worker "),  # killed
    "send_recv": ("timeout", rf"{OVER}, and the worker was stopped for "),  # stopped
    "scatter": ("timeout", OVER),  # hangs
    "gather": ("crashed", "while preparing: the worker "),  # mpirun is killed
    "all_gather": ("wrong_result", r": rank 1, element 7: \d+ expected, \d+ received"),
}
LATE, HEALTHY = "reduce", ("broadcast", "all_reduce")
# With which a run begins with LATE and ends with one of the healthy.
SEED = 8
MEASURED = ("ok", "unstable", "invalid_environment")


def library(folder):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("cc not found, which compiles the faults")
    (folder / "shim.c").write_text(SHIM)
    made = folder / "shim.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", made, folder / "shim.c"], check=True)
    return made


def run(lab):
    """Measures all of these. When ranks are started for the first time, rank 1 never arrives."""
    late = lab.folder / "late"
    late.touch()
    worker = lab.folder / WORKER.name
    worker.write_text(
        "#!/bin/sh\n"
        f'if [ "$OMPI_COMM_WORLD_RANK" = 1 ] && rm {late} 2>/dev/null; then exec sleep 600; fi\n'
        f'export LD_PRELOAD={library(lab.folder)}\nexec {WORKER} "$@"\n'
    )
    worker.chmod(0o755)
    cases = [CASE.format(op) for op in (LATE, *FAULTS, *HEALTHY)]
    profile = lab.profile(case_timeout=f"{CASE_S}s", budget="300s", warmup="1ms")
    profile.write_text(f"{profile.read_text()}\n[cpu]\ncases = {cases}\n".replace("'", '"'))
    # Where more runs than there are cores, ranks that spin while they wait keep each other waiting.
    lab.environment["OMPI_MCA_mpi_yield_when_idle"] = "1"
    lab.environment["TMPDIR"] = str(lab.folder)
    return lab.call(
        *("run", "--device", "cpu", "--profile", profile, "--results", lab.results),
        *("--worker", worker, "--expect-ranks", 2, "--seed", SEED),
        text=True,
        timeout=240,
    )


@pytest.mark.skipif(not WORKER.is_file(), reason="built without MPI")
@pytest.mark.skipif(shutil.which("mpirun") is None, reason="mpirun not found")
@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="two ranks need two cores")
def test_whatever_a_rank_does_costs_its_case_only(lab):
    done = run(lab)
    assert done.returncode == 2, done.stdout + done.stderr
    (lab.database,) = lab.results.glob("cpu-*.sqlite")
    assert lab.is_intact()
    assert lab.query("SELECT status FROM run") == [("finished",)]
    stored = lab.outcomes()
    assert list(stored)[0] == CASE.format(LATE)
    assert list(stored)[-1] in [CASE.format(op) for op in HEALTHY]
    missing = "ridgeline-collectives cannot be started: the worker did not answer in time"
    expected = {LATE: ("timeout", missing), **FAULTS}
    for op, (outcome, reason) in expected.items():
        *before, (found, why) = stored.pop(CASE.format(op))
        assert (found, bool(re.search(reason, why))) == (outcome, True), f"{op}: {found}: {why}"
        # Once, but after a pause of the machine.
        assert all("the machine stood still" in why for _, why in before), before
    assert list(stored) and all(rows[-1][0] in MEASURED for rows in stored.values()), stored
    assert not list(lab.folder.glob("ridgeline-ranks-*")), "what Open MPI keeps is gone"
    assert not list(lab.folder.glob("ompi.*"))
