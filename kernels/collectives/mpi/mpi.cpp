#include <algorithm>
#include <cstdint>
#include <string>

#include <fmt/core.h>
#include <mpi.h>

#include "harness/base/error.hpp"
#include "harness/base/half.hpp"
#include "harness/device/facts.hpp"
#include "kernels/collectives/collectives.hpp"

// Vendor variant: the MPI library that this program is linked with, on host memory. MPI knows no
// 16-bit floats: it moves them as 16-bit words, and reduces them by the functions below.
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

/// As MPI_User_function: both[i] becomes the reduction of both[i] and other[i].
template <float (*from)(std::uint16_t), std::uint16_t (*to)(float), bool adds>
void reduce_halves(void* other_words, void* both_words, int* count, MPI_Datatype*) {
  const auto* other = static_cast<const std::uint16_t*>(other_words);
  auto* both = static_cast<std::uint16_t*>(both_words);
  for (int i = 0; i < *count; ++i) {
    const float a = from(other[i]), b = from(both[i]);
    both[i] = to(adds ? a + b : std::max(a, b));
  }
}

class World final : public Communicator {
 public:
  World() {
    check(MPI_Comm_dup(MPI_COMM_WORLD, &world_), "duplicating MPI's communicator");
    MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(world_, &rank_);
    constexpr int commutes = 1;
    MPI_Op_create(reduce_halves<from_f16, to_f16, true>, commutes, &f16_sum_);
    MPI_Op_create(reduce_halves<from_f16, to_f16, false>, commutes, &f16_max_);
    MPI_Op_create(reduce_halves<from_bf16, to_bf16, true>, commutes, &bf16_sum_);
    MPI_Op_create(reduce_halves<from_bf16, to_bf16, false>, commutes, &bf16_max_);
  }

  void launch(const Problem& problem, const void* send, void* receive, device::Stream&) override {
    // Counts of MPI are ints; supports() keeps larger problems away.
    const int all = static_cast<int>(problem.count()), part = static_cast<int>(problem.part());
    const MPI_Datatype type = type_of(problem.dtype);
    const bool root = rank_ == 0;
    const void* const sent = problem.in_place ? MPI_IN_PLACE : send;
    switch (problem.operation) {
      case Operation::all_reduce:
        return check(MPI_Allreduce(sent, receive, all, type, op_of(problem), world_),
                     "MPI_Allreduce");
      case Operation::all_gather:
        return check(MPI_Allgather(sent, part, type, receive, part, type, world_), "MPI_Allgather");
      case Operation::broadcast:
        return check(MPI_Bcast(receive, all, type, 0, world_), "MPI_Bcast");
      case Operation::reduce_scatter:
        return check(MPI_Reduce_scatter_block(send, receive, part, type, op_of(problem), world_),
                     "MPI_Reduce_scatter_block");
      case Operation::reduce:
        return check(MPI_Reduce(root ? sent : send, receive, all, type, op_of(problem), 0, world_),
                     "MPI_Reduce");
      case Operation::all_to_all:
        return check(MPI_Alltoall(send, part, type, receive, part, type, world_), "MPI_Alltoall");
      case Operation::send_recv: {
        const int next = (rank_ + 1) % problem.ranks,
                  before = (rank_ + problem.ranks - 1) % problem.ranks;
        return check(MPI_Sendrecv(send, all, type, next, 0, receive, all, type, before, 0, world_,
                                  MPI_STATUS_IGNORE),
                     "MPI_Sendrecv");
      }
      case Operation::gather:
        return check(MPI_Gather(root ? sent : send, part, type, receive, part, type, 0, world_),
                     "MPI_Gather");
      case Operation::scatter:
        return check(
            MPI_Scatter(send, part, type, root && problem.in_place ? MPI_IN_PLACE : receive, part,
                        type, 0, world_),
            "MPI_Scatter");
    }
  }

  /// MPI goes on in calls, or while others call: between the two it may do nothing.
  void begin(const Problem& problem, const void* send, void* receive, device::Stream&) override {
    require(problem.operation == Operation::all_reduce, "all_reduce alone is begun and ended");
    check(MPI_Iallreduce(problem.in_place ? MPI_IN_PLACE : send, receive,
                         static_cast<int>(problem.count()), type_of(problem.dtype), op_of(problem),
                         world_, &begun_),
          "MPI_Iallreduce");
  }
  void end() override { check(MPI_Wait(&begun_, MPI_STATUS_IGNORE), "MPI_Wait"); }

 private:
  static MPI_Datatype type_of(DType dtype) {
    if (dtype == DType::f16 || dtype == DType::bf16) return MPI_UINT16_T;
    return dtype == DType::i8 ? MPI_INT8_T : MPI_FLOAT;
  }
  MPI_Op op_of(const Problem& problem) const {
    const bool adds = problem.reduction == Reduction::sum;
    if (problem.dtype == DType::f16) return adds ? f16_sum_ : f16_max_;
    if (problem.dtype == DType::bf16) return adds ? bf16_sum_ : bf16_max_;
    return adds ? MPI_SUM : MPI_MAX;
  }

  // Never freed: they live until MPI is finalised.
  MPI_Comm world_ = MPI_COMM_NULL;
  MPI_Op f16_sum_ = MPI_OP_NULL, f16_max_ = MPI_OP_NULL;
  MPI_Op bf16_sum_ = MPI_OP_NULL, bf16_max_ = MPI_OP_NULL;
  MPI_Request begun_ = MPI_REQUEST_NULL;
  int rank_ = 0;
};

device::Support supports(const Problem& problem, const device::Facts& facts) {
  if (facts.kind == device::Kind::cuda)
    return device::Support::unsupported("communicates from host memory");
  if (problem.count() > INT32_MAX)
    return device::Support::unsupported("MPI counts elements in 32 bits");
  if (problem.reduction == Reduction::avg)
    return device::Support::unsupported("MPI has no average");
  if (problem.in_place && problem.operation == Operation::reduce_scatter)
    return device::Support::unsupported(
        "MPI leaves what it reduces in place at the beginning of the buffer");
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
  return {
      "the MPI library's own algorithms, on host memory; 16-bit floats are reduced by our "
      "functions",
      {DType::f32, DType::f16, DType::bf16, DType::i8},
      supports,
      connect};
}

}  // namespace ridgeline::collectives::on_mpi
