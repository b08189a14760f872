#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/base/dtype.hpp"
#include "harness/device/stream.hpp"
#include "harness/device/support.hpp"
#include "kernels/deviation.hpp"
#include "kernels/question.hpp"
#include "kernels/variant.hpp"

namespace ridgeline::collectives {

/// What `ranks` processes do together, each with a buffer to send from and one to receive into:
/// all_reduce: every rank receives the sums over all ranks' elements; all_gather: every rank
/// receives all ranks' elements, in the order of ranks; broadcast: every rank has rank 0's
/// elements, on rank 0 in place.
enum class Operation { all_reduce, all_gather, broadcast };
std::string_view to_string(Operation operation);

/// `bytes` is the larger buffer of one rank, as in nccl-tests.
struct Problem {
  Operation operation = Operation::all_reduce;
  int ranks = 1;
  std::int64_t bytes = 0;
  DType dtype = DType::f32;

  /// Elements of a rank's receive buffer, and of its send buffer.
  std::int64_t receive_count() const { return bytes / static_cast<std::int64_t>(size_of(dtype)); }
  std::int64_t send_count() const {
    return operation == Operation::all_gather ? receive_count() / ranks : receive_count();
  }

  /// Bus bandwidth over `bytes` / time: the share of `bytes` that a rank's link must carry however
  /// the operation is done. Source: nccl-tests, doc/PERFORMANCE.md. Absent for one rank, which does
  /// not communicate.
  std::optional<double> bus_factor() const;
};

/// The place of this process among those that communicate.
struct Member {
  int size = 1, rank = 0;
  std::function<void(void* bytes, std::size_t count)> broadcast;  // rank 0's bytes to every rank,
                                                                  // outside of any timing
};

/// What a library needs to communicate; made once, together by all ranks.
class Communicator {
 public:
  virtual ~Communicator() = default;
  /// Enqueues one operation. `send` and `receive` are this rank's, device memory, and the same for
  /// a broadcast on rank 0. All ranks must enqueue the same problems in the same order.
  virtual void launch(const Problem& problem, const void* send, void* receive,
                      device::Stream& stream) = 0;
};

struct Variant {
  std::string_view idea;
  std::vector<DType> dtypes;
  device::Support (*supports)(const Problem&, const device::Facts&);
  std::unique_ptr<Communicator> (*connect)(const Member&);
};

/// All variants, written by CMake from the files in mpi/ and cuda/.
kernels::Table<Variant> variants();

/// What every variant refuses: other types, sizes that do not come out even.
device::Support common_support(const Problem& problem);

/// Rank r sends elements [index, index + send_count) of the stream `seed`, where index is
/// first_index(problem, r): its own.
std::uint64_t first_index(const Problem& problem, int rank);

/// What a rank's element should be, in f64, and the sum of the absolute values that were added.
struct Expected {
  double value = 0, magnitude = 0;
};

/// Asks the device's oracle about what a rank receives of inputs from stream `seed`: it writes
/// Expected, or keeps the largest error in `tally`. Null where there is none.
using DeviceOracle = void (*)(const Problem&, device::Distribution, std::uint64_t seed,
                              const kernels::Question&, device::Stream&);
DeviceOracle device_oracle();

/// Compares what a rank received with what the inputs above give, summed in f64. Looks at all
/// elements; on a CPU, of more than a million at the first, the last and runs between. Copies are
/// right bit for bit; a sum of n elements in any order of f32 may be off by (n - 1) roundings of
/// the sum of their magnitudes. The error is relative to that sum.
kernels::Deviation deviation(device::Device& device, const Problem& problem, const void* received,
                             device::Distribution distribution, std::uint64_t seed);

}  // namespace ridgeline::collectives
