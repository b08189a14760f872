#include <string>

#include <fmt/core.h>
#include <mpi.h>

#include "harness/base/error.hpp"
#include "harness/device/facts.hpp"
#include "kernels/collectives/collectives.hpp"

// Vendor variant: the MPI library that this program is linked with, on host memory.
namespace ridgeline::collectives::on_mpi {
namespace {

void check(int status, const char* action) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw Error(
      ErrorKind::dependency,
      fmt::format("{} failed: {}", action, std::string(text, static_cast<std::size_t>(length))));
}

class World final : public Communicator {
 public:
  World() {
    check(MPI_Comm_dup(MPI_COMM_WORLD, &world_), "duplicating MPI's communicator");
    MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN);
  }

  void launch(const Problem& problem, const void* send, void* receive, device::Stream&) override {
    // Counts of MPI are ints; supports() keeps larger problems away.
    const int sent = static_cast<int>(problem.send_count());
    const int received = static_cast<int>(problem.receive_count());
    switch (problem.operation) {
      case Operation::all_reduce:
        return check(MPI_Allreduce(send, receive, received, MPI_FLOAT, MPI_SUM, world_),
                     "MPI_Allreduce");
      case Operation::all_gather:
        return check(MPI_Allgather(send, sent, MPI_FLOAT, receive, sent, MPI_FLOAT, world_),
                     "MPI_Allgather");
      case Operation::broadcast:
        return check(MPI_Bcast(receive, received, MPI_FLOAT, 0, world_), "MPI_Bcast");
    }
  }

 private:
  MPI_Comm world_ = MPI_COMM_NULL;  // never freed: it lives until MPI is finalised
};

device::Support supports(const Problem& problem, const device::Facts& facts) {
  if (facts.kind == device::Kind::cuda)
    return device::Support::unsupported("communicates from host memory");
  if (problem.ranks > facts.units)
    return device::Support::unsupported(fmt::format(
        "{} ranks need as many cores, and {} are used here", problem.ranks, facts.units));
  if (problem.receive_count() > INT32_MAX)
    return device::Support::unsupported("MPI counts elements in 32 bits");
  return common_support(problem);
}

std::unique_ptr<Communicator> connect(const Member& member) {
  int initialised = 0, size = 0;
  MPI_Initialized(&initialised);
  if (initialised == 0)
    throw Error(ErrorKind::usage, "MPI was not started",
                "measure collectives with `ridgeline run 'collectives/*'`");
  check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  require(size == member.size, "the ranks that measure are those that MPI knows");
  return std::make_unique<World>();
}

}  // namespace

Variant mpi() {
  return {"the MPI library's own algorithms, on host memory", {DType::f32}, supports, connect};
}

}  // namespace ridgeline::collectives::on_mpi
