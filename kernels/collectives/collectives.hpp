#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/dtype.hpp"
#include "harness/device/stream.hpp"
#include "harness/device/support.hpp"
#include "kernels/collectives/inputs.hpp"
#include "kernels/deviation.hpp"
#include "kernels/question.hpp"
#include "kernels/variant.hpp"

namespace ridgeline::collectives {

/// What `ranks` processes do together, each with elements to send and room to receive into. "All"
/// is what all ranks send, in the order of ranks; the root is rank 0.
/// all_reduce: every rank receives the reduction over all ranks' elements. reduce: the root alone.
/// reduce_scatter: of that reduction, rank r receives part r. all_gather: every rank receives all.
/// gather: the root alone. broadcast: every rank has the root's elements, on the root in place.
/// scatter: rank r receives part r of the root's. all_to_all: rank r receives part r of each
/// rank's. send_recv: each rank receives those of the rank before it, in a ring.
enum class Operation {
  all_reduce,
  all_gather,
  broadcast,
  reduce_scatter,
  reduce,
  all_to_all,
  send_recv,
  gather,
  scatter
};
std::string_view to_string(Operation operation);

/// How elements are reduced. The average of integers is cut off towards 0.
enum class Reduction { sum, max, avg };
std::string_view to_string(Reduction reduction);

/// `bytes` is the largest buffer of a rank, as in nccl-tests.
struct Problem {
  Operation operation = Operation::all_reduce;
  int ranks = 1;
  std::int64_t bytes = 0;
  DType dtype = DType::f32;
  Reduction reduction = Reduction::sum;
  /// A rank's elements are sent from where it receives: part r of them where all parts are received
  /// and one is sent, or the other way round.
  bool in_place = false;

  std::int64_t count() const { return bytes / static_cast<std::int64_t>(size_of(dtype)); }
  std::int64_t part() const { return count() / ranks; }

  /// Elements that a rank sends, and that it receives: 0 where it does not.
  std::int64_t send_count(int rank) const;
  std::int64_t receive_count(int rank) const;
  /// In place: where they begin in the rank's only buffer, in elements.
  std::int64_t send_offset(int rank) const;
  std::int64_t receive_offset(int rank) const;

  bool reduces() const;
  bool in_parts() const;  // whether a buffer has a part for each rank
  /// Whether the operation, once more on what it left in place, leaves the same: false for sums,
  /// which grow.
  bool repeats() const;

  /// Bus bandwidth over `bytes` / time: the share of `bytes` that a rank's link must carry however
  /// the operation is done. Source: nccl-tests, doc/PERFORMANCE.md. Absent for one rank, which does
  /// not communicate.
  std::optional<double> bus_factor() const;
};

/// How a library is told to do an operation, in its own words. Empty: as it chooses itself.
struct Choice {
  std::string_view algorithm = {}, protocol = {};

  auto operator<=>(const Choice&) const = default;
};

/// The place of this process among those that communicate.
struct Member {
  int size = 1, rank = 0;
  std::function<void(void* bytes, std::size_t count)> broadcast;  // rank 0's bytes to every rank,
                                                                  // outside of any timing
  std::function<void(const void* mine, std::size_t count, void* all)> gather = {};  // each rank's
                                                                                    // `count`
                                                                                    // bytes,
                                                                                    // likewise
  Choice choice = {};  // of all of them
};

/// What a library needs to communicate; made once, together by all ranks.
class Communicator {
 public:
  virtual ~Communicator() = default;
  /// Enqueues one operation. `send` and `receive` are this rank's, device memory; they are equal
  /// for a broadcast on the root, and lie in one buffer for an operation in place. What a rank does
  /// not use may be anything. All ranks must enqueue the same problems in the same order.
  virtual void launch(const Problem& problem, const void* send, void* receive,
                      device::Stream& stream) = 0;
  /// launch() in two steps, between which this process does something else. By begin() whatever
  /// does not need this process again has been enqueued; end() waits for what the stream does not.
  virtual void begin(const Problem& problem, const void* send, void* receive,
                     device::Stream& stream) {
    launch(problem, send, receive, stream);
  }
  virtual void end() {}
  /// Memory for all buffers of a case, `bytes` on every rank alike, until the next call: of a
  /// library whose ranks reach each other's memory. Asked for by all ranks together. Null where any
  /// memory of the device will do.
  virtual std::byte* memory(const Problem& problem, std::size_t bytes) {
    static_cast<void>(problem), static_cast<void>(bytes);
    return nullptr;
  }
  /// For while the device is waited for: throws when what was launched will never end, having ended
  /// it.
  virtual void look() {}
};

struct Variant {
  std::string_view idea;
  std::vector<DType> dtypes;
  device::Support (*supports)(const Problem&, const device::Facts&);
  std::unique_ptr<Communicator> (*connect)(const Member&);
  /// Of a variant that is for few problems: which of them are worth a case. Null for all.
  bool (*is_for)(const Problem&) = nullptr;
  /// What a library can be told in place of its own choice. Null where there is nothing to tell.
  std::vector<Choice> (*choices)(Operation) = nullptr;
};

/// All variants, written by CMake from the files in mpi/ and cuda/.
kernels::Table<Variant> variants();

/// What every variant refuses: other types, sizes that do not come out even, reductions that are
/// not exact, and what has no form in place.
device::Support common_support(const Problem& problem);

/// Rank r sends elements [index, index + send_count(r)) of the inputs, where index is
/// first_index(problem, r): its own.
std::uint64_t first_index(const Problem& problem, int rank);

/// What a device knows by itself. Null where there is none.
struct DeviceOracle {
  /// Answers about what `rank` receives: it writes f64, or keeps in `tally`, in f64, how many
  /// elements there are from the first wrong one on.
  void (*answer)(const Problem&, int rank, const Inputs&, const kernels::Question&,
                 device::Stream&) = nullptr;
  /// Writes `count` inputs of a type, from `first` on.
  void (*fill)(DType, const Inputs&, std::uint64_t first, std::int64_t count, void* to,
               device::Stream&) = nullptr;
};
DeviceOracle device_oracle();

/// Puts inputs [first_index(problem, rank), + send_count(rank)) where `to` is, in device memory.
void fill_inputs(device::Device& device, const Problem& problem, int rank, const Inputs& inputs,
                 void* to);

struct WrongElement {
  int rank = 0;
  std::int64_t index = 0;  // of what the rank receives
  double expected = 0, got = 0;
};
/// "rank 1, element 7: 3 expected, 5 received"
std::string to_string(const WrongElement& wrong);

/// The error is that of the first wrong element; nothing but the expected value is right.
struct Deviation : kernels::Deviation {
  std::optional<WrongElement> first_wrong;
};

/// Compares what a rank received with what the inputs above give: reductions are exact, in any
/// order. Looks at all elements; on a CPU, of more than a million at the first, the last and runs
/// between.
Deviation deviation(device::Device& device, const Problem& problem, int rank, const void* received,
                    const Inputs& inputs, std::uint64_t seed);

}  // namespace ridgeline::collectives
