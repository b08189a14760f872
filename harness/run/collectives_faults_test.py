"""Whatever a rank does costs its case only: under the real mpirun, each fault ends within the
case's time, its outcome is stored, the next case is measured, and nothing is left.

A library before MPI's has rank 1 misbehave, in another way in each operation. One run has all but
a stop, which ends sooner: what a test of faults takes is mostly waiting for deadlines.
"""

import os
import shutil

import pytest

from harness.run import spoiled_ranks

CASE_S = 5
CASE = "collectives/mpi/f32/op={},ranks=2,bytes=1024,mode=isolated,calls=1"

MPI = (
    spoiled_ranks.STOPS_AND_HANGS
    + """
int PMPI_Alltoall(const void*, int, void*, void*, int, void*, void*);
int MPI_Alltoall(const void* sent, int count, void* of, void* received, int room, void* as,
                 void* ranks) {
  if (misbehaves()) kill(getpid(), SIGKILL);
  return PMPI_Alltoall(sent, count, of, received, room, as, ranks);
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
  extern char ompi_mpi_byte[];  // of what ranks tell each other between cases
  if (misbehaves() && as != ompi_mpi_byte) ((float*)received)[7] += 1;
  return status;
}
"""
)
# The first buffer of rank 1 alone, while rank 0 waits for it.
NO_MEMORY = """
void* dlsym(void*, const char*);
void* aligned_alloc(size_t unit, size_t bytes) {
  static void* (*real)(size_t, size_t);
  if (real == NULL) real = (void* (*)(size_t, size_t))dlsym((void*)-1L, "aligned_alloc");
  if (misbehaves() && bytes >= 1024 && unlink(getenv("SPOILED_MEMORY")) == 0) return NULL;
  return real(unit, bytes);
}
"""
OVER = rf"killed while preparing: the case's {CASE_S}\.00 s were over"
# What must be stored of each operation that rank 1 spoils.
FAULTS = {
    "all_to_all": ("crashed", "while preparing: the worker "),  # killed
    "scatter": ("timeout", OVER),  # hangs
    "gather": ("crashed", "while preparing: the worker "),  # mpirun is killed
    "all_gather": ("wrong_result", r": rank 1, element 7: \d+ expected, \d+ received"),
}
STOPPED = "send_recv"
LONG_S = 100  # after which a stop would be found without a look at processes
LATE, HEALTHY = "reduce", ("broadcast", "all_reduce")
# With which a run begins with LATE and ends with one of the healthy.
SEED = 83
STOP_SEED = 5  # with which the stop comes first


pytestmark = [
    pytest.mark.skipif(not spoiled_ranks.WORKER.is_file(), reason="built without MPI"),
    pytest.mark.skipif(shutil.which("mpirun") is None, reason="mpirun not found"),
    pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="two ranks need two cores"),
]


def test_whatever_a_rank_does_costs_its_case_only(lab):
    # When ranks are started for the first time, rank 1 never arrives.
    late = lab.folder / "late"
    late.touch()
    before = (
        f'if [ "$OMPI_COMM_WORLD_RANK" = 1 ] && rm {late} 2>/dev/null; then exec sleep 600; fi\n'
        f"export LD_PRELOAD={spoiled_ranks.library(lab.folder, 'spoiled.so', MPI)}"
    )
    cases = [CASE.format(op) for op in (LATE, *FAULTS, *HEALTHY)]
    done = spoiled_ranks.run(lab, "cpu", cases, CASE_S, SEED, before)
    missing = "ridgeline-collectives cannot be started: the worker did not answer in time"
    faults = {LATE: ("timeout", missing), **FAULTS}
    spoiled_ranks.check(lab, done, {CASE.format(op): fault for op, fault in faults.items()})
    assert next(iter(lab.outcomes())) == CASE.format(LATE)


def test_a_rank_that_stays_stopped_ends_its_case_before_its_time(lab):
    before = f"export LD_PRELOAD={spoiled_ranks.library(lab.folder, 'spoiled.so', MPI)}"
    cases = [CASE.format(op) for op in (STOPPED, HEALTHY[0])]
    done = spoiled_ranks.run(lab, "cpu", cases, LONG_S, STOP_SEED, before)
    why = r"^killed while preparing: rank 1 \(process \d+\) was stopped by a signal, and nobody "
    spoiled_ranks.check(lab, done, {CASE.format(STOPPED): ("timeout", why)})


def test_a_rank_that_fails_while_rank_0_waits_says_why(lab):
    first = lab.folder / "first"
    first.touch()
    made = spoiled_ranks.library(lab.folder, "memory.so", NO_MEMORY)
    before = f"export LD_PRELOAD={made} SPOILED_MEMORY={first}"
    cases = [CASE.format(op) for op in (STOPPED, HEALTHY[0])]
    done = spoiled_ranks.run(lab, "cpu", cases, LONG_S, STOP_SEED, before)
    why = "^while preparing: rank 1 failed in the middle of a case: allocating .*: out of memory$"
    spoiled_ranks.check(lab, done, {CASE.format(STOPPED): ("crashed", why)})
