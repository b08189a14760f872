"""What collectives_faults_test shows of MPI, of NCCL on two GPUs: a rank that is killed, stopped,
hangs, connects never, has an error or answers wrong costs its case only.

A library before NCCL has rank 1 misbehave, in another way in each operation.
"""

import ctypes
import os
import re
import shutil
from pathlib import Path

import pytest

from harness.run import spoiled_ranks

CASE_S = 12
CASE = "collectives/nccl/f32/op={},ranks=2,bytes={},mode=isolated,calls=1"

# Types are those of NVIDIA's "NCCL User Guide"; enumerations are int there, communicators pointers.
NCCL = """
#include <dlfcn.h>

typedef struct { char bytes[128]; } ncclUniqueId;

static void* real(const char* name) {
  static void* library;
  if (library == NULL) library = dlopen(getenv("SPOILED_NCCL"), RTLD_NOW | RTLD_LOCAL);
  return dlsym(library, name);
}
#define REAL(name) ((__typeof__(&name))real(#name))

int ncclGetUniqueId(ncclUniqueId* id) { return REAL(ncclGetUniqueId)(id); }
int ncclCommInitRankConfig(void** made, int ranks, ncclUniqueId id, int rank, void* config) {
  while (misbehaves() && unlink(getenv("SPOILED_LATE")) == 0)
    for (;;) pause();
  return REAL(ncclCommInitRankConfig)(made, ranks, id, rank, config);
}
int ncclCommGetAsyncError(void* on, int* status) { return REAL(ncclCommGetAsyncError)(on, status); }
int ncclCommAbort(void* on) { return REAL(ncclCommAbort)(on); }
int ncclGroupStart(void) { return REAL(ncclGroupStart)(); }
int ncclGroupEnd(void) { return REAL(ncclGroupEnd)(); }
const char* ncclGetErrorString(int status) { return REAL(ncclGetErrorString)(status); }
const char* ncclGetLastError(void* on) { return REAL(ncclGetLastError)(on); }

int ncclAllReduce(const void* sent, void* received, size_t count, int type, int with, void* on,
                  void* stream) {
  int maximum = 2;
  if (misbehaves() && count == 1 << 20) with = maximum;
  return REAL(ncclAllReduce)(sent, received, count, type, with, on, stream);
}
int ncclAllGather(const void* sent, void* received, size_t count, int type, void* on,
                  void* stream) {
  if (misbehaves()) kill(getpid(), SIGKILL);
  return REAL(ncclAllGather)(sent, received, count, type, on, stream);
}
int ncclBroadcast(const void* sent, void* received, size_t count, int type, int root, void* on,
                  void* stream) {
  if (misbehaves()) kill(getpid(), SIGSTOP);
  return REAL(ncclBroadcast)(sent, received, count, type, root, on, stream);
}
int ncclReduceScatter(const void* sent, void* received, size_t count, int type, int with, void* on,
                      void* stream) {
  while (misbehaves()) pause();
  return REAL(ncclReduceScatter)(sent, received, count, type, with, on, stream);
}
int ncclReduce(const void* sent, void* received, size_t count, int type, int with, int root,
               void* on, void* stream) {
  if (misbehaves()) kill(getppid(), SIGKILL);
  return REAL(ncclReduce)(sent, received, count, type, with, root, on, stream);
}
int ncclSend(const void* sent, size_t count, int type, int to, void* on, void* stream) {
  int internal_error = 3;
  if (misbehaves()) return internal_error;
  return REAL(ncclSend)(sent, count, type, to, on, stream);
}
int ncclRecv(void* received, size_t count, int type, int from, void* on, void* stream) {
  return REAL(ncclRecv)(received, count, type, from, on, stream);
}
"""
# A GPU settles in the first case, which has more time for that.
OVER = r"killed while preparing: the case's \d+\.\d+ s were over"
STOPPED = r"killed while preparing: rank 1 \(process \d+\) was stopped by a signal"
MIB = 1 << 20
LATE = CASE.format("all_reduce", 2 * MIB)
FAULTS = {
    CASE.format("all_gather", MIB): ("crashed", "while preparing: the worker "),  # killed
    CASE.format("broadcast", MIB): ("timeout", STOPPED),
    CASE.format("reduce_scatter", MIB): ("timeout", OVER),  # hangs
    CASE.format("reduce", MIB): ("crashed", "while preparing: the worker "),  # no mpirun
    CASE.format("send_recv", MIB): ("crashed", "rank 1 failed in the middle of a case: .*NCCL"),
    CASE.format("all_reduce", 4 * MIB): ("wrong_result", r": rank \d, element \d+: "),
}
HEALTHY = (CASE.format("all_reduce", MIB), CASE.format("all_reduce", 8 * MIB))
# With which a run begins with LATE and ends with one of the healthy.
SEED = 36


def gpus() -> int:
    count = ctypes.c_int(0)
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    return count.value if driver.cuInit(0) == driver.cuDeviceGetCount(ctypes.byref(count)) else 0


def nccl() -> Path:
    try:
        ctypes.CDLL("libnccl.so.2")
    except OSError as missing:
        pytest.skip(str(missing))
    (file,) = set(re.findall(r"/\S*/libnccl\.so\S*", Path("/proc/self/maps").read_text()))
    return Path(file)


@pytest.mark.skipif(not spoiled_ranks.WORKER.is_file(), reason="built without MPI")
@pytest.mark.skipif(shutil.which("mpirun") is None, reason="mpirun not found")
@pytest.mark.skipif(gpus() < 2, reason="two ranks need two GPUs")
def test_whatever_a_rank_does_to_nccl_costs_its_case_only(lab):
    late = lab.folder / "late"
    late.touch()
    folder = spoiled_ranks.library(lab.folder, "libnccl.so.2", NCCL).parent
    paths = [str(folder), *os.environ.get("LD_LIBRARY_PATH", "").split(":")]
    before = f"export SPOILED_NCCL={nccl()} SPOILED_LATE={late} LD_LIBRARY_PATH='{':'.join(paths)}'"
    done = spoiled_ranks.run(lab, "cuda:0", [LATE, *FAULTS, *HEALTHY], CASE_S, SEED, before)
    spoiled_ranks.check(lab, done, {LATE: ("timeout", OVER), **FAULTS})
    assert next(iter(lab.outcomes())) == LATE
