#include "harness/worker/mpi/mpi_group.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>

#include <mpi.h>

#include "harness/device/cpu/affinity.hpp"

namespace ridgeline::worker {
namespace {

// Errors are MPI's default: a message and the end of every rank. A group that cannot agree cannot
// report either.
bool initialised() {
  int flag = 0;
  MPI_Initialized(&flag);
  return flag != 0;
}

/// Starts MPI when nobody has asked before.
const measure::Here& machine() {
  static const measure::Here place = [] {
    int provided = 0;
    // Other threads exist (OpenMP's), but only the one that starts MPI calls it.
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm here = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    measure::Here found;
    MPI_Comm_size(here, &found.size);
    MPI_Comm_rank(here, &found.rank);
    MPI_Comm_rank(MPI_COMM_WORLD, &found.first);
    MPI_Bcast(&found.first, 1, MPI_INT, 0, here);
    MPI_Comm_free(&here);
    device::cpu::keep_to_share(found.rank, found.size);
    return found;
  }();
  return place;
}

}  // namespace

MpiGroup::~MpiGroup() {
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (initialised() && finalised == 0) MPI_Finalize();
}

int MpiGroup::size() const {
  machine();
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

int MpiGroup::rank() const {
  machine();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

measure::Here MpiGroup::here() const { return machine(); }

void MpiGroup::abort(int exit_code) noexcept {
  if (initialised()) MPI_Abort(MPI_COMM_WORLD, exit_code);
}

void MpiGroup::barrier() {
  machine();
  count_meeting();
  MPI_Barrier(MPI_COMM_WORLD);
}

double MpiGroup::max(double value) {
  machine();
  count_meeting();
  double largest = value;
  MPI_Allreduce(&value, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return largest;
}

void MpiGroup::broadcast(void* bytes, std::size_t count) {
  machine();
  count_meeting();
  auto* next = static_cast<unsigned char*>(bytes);
  while (count > 0) {
    const auto part = static_cast<int>(std::min<std::size_t>(count, INT_MAX));
    MPI_Bcast(next, part, MPI_BYTE, 0, MPI_COMM_WORLD);
    next += part;
    count -= static_cast<std::size_t>(part);
  }
}

void MpiGroup::gather(const void* mine, std::size_t count, void* all) {
  machine();
  count_meeting();
  const int each = static_cast<int>(count);  // of what ranks tell each other, never of messages
  MPI_Allgather(mine, each, MPI_BYTE, all, each, MPI_BYTE, MPI_COMM_WORLD);
}

}  // namespace ridgeline::worker
