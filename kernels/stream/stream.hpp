#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/device/stream.hpp"
#include "harness/device/support.hpp"
#include "kernels/deviation.hpp"
#include "kernels/level.hpp"
#include "kernels/question.hpp"
#include "kernels/variant.hpp"

/// Memory bandwidth: whole arrays are read, copied, or combined, from one end to the other.
namespace ridgeline::stream {

enum class Operation { read, copy, triad, read_by_all };

constexpr std::string_view to_string(Operation operation) {
  switch (operation) {
    case Operation::copy:
      return "copy";
    case Operation::triad:
      return "triad";
    case Operation::read_by_all:
      return "read_by_all";
    case Operation::read:
      break;
  }
  return "read";
}

/// How a kernel is started, where that is a matter of numbers: threads of a block, 16-byte vectors
/// of a thread, bytes of a chunk. 0 where the variant knows, so that Shape{} is its usual one.
struct Shape {
  int threads = 0, vectors = 0, chunk = 0;
  bool operator==(const Shape&) const = default;
};

/// `passes` times over arrays of `elements` floats:
///   read:  the bits of a, summed modulo 2^32 (exact in any order, and one load an addition)
///   copy:  c = a
///   triad: c = a + 2 b (exact: a product by 2 does not round)
///   read_by_all: as read, but each unit reads all of a, beginning at a place of its own
/// `level` says which level of memory the arrays lie in: kernels pick loads and stores by it. At l1
/// and in shared memory unit u of `units` (a thread of a CPU, a block of a GPU) works on part u
/// alone, all passes in a row; otherwise too on a CPU.
struct Problem {
  Operation operation = Operation::read;
  kernels::Level level = kernels::Level::dram;
  std::int64_t elements = 0;
  int passes = 1;
  int units = 0;  // no kernel starts without any
  Shape shape = {};

  /// Whether the result is a sum, and not an array.
  bool sums() const { return operation == Operation::read || operation == Operation::read_by_all; }
  int arrays() const { return sums() ? 1 : operation == Operation::copy ? 2 : 3; }
  /// How often each element is read, and counts in a sum.
  std::int64_t times() const {
    return std::int64_t{passes} * (operation == Operation::read_by_all ? units : 1);
  }
  /// As the STREAM benchmark counts: each array once a pass (and unit, when all read it), no lines
  /// that a cache fetches before it writes them.
  double bytes() const {
    return 4.0 * arrays() * static_cast<double>(elements) * static_cast<double>(times());
  }
  double flops() const {
    return operation == Operation::triad ? 2.0 * static_cast<double>(elements) * passes : 0.0;
  }
  /// Elements of `out`: reads write partial sums, to be added up modulo 2^32.
  std::int64_t outputs() const { return sums() ? partial_sums() : elements; }
  std::int64_t partial_sums() const { return static_cast<std::int64_t>(units) * sums_per_unit; }

  static constexpr int sums_per_unit = 1024;  // at most this many threads of a unit have one each;
                                              // the rest hold 0
};

/// Floats in device memory, each array aligned to 256 bytes.
struct Operands {
  const float* a = nullptr;
  const float* b = nullptr;  // triad alone
  void* out = nullptr;       // outputs() elements: std::uint32_t for sums, float otherwise
};

/// `levels` are those whose roof it may set; it is not started for others. A roof is the best of
/// its usual shape and of `shapes`; it is not started in others.
struct Variant {
  std::string_view idea;
  Operation operation;
  std::vector<kernels::Level> levels;
  device::Support (*supports)(const Problem&, const device::Facts&);
  void (*launch)(const Problem&, const Operands&, device::Stream&);
  std::vector<Shape> shapes = {};
  bool single_launches = false;  // a graph of it would do something else
};

kernels::Table<Variant> variants();

/// The problem whose arrays together fill
///   l1:   half of each unit's L1;
///   shared: half of each unit's shared memory, on a GPU;
///   llc:  a third of a GPU's L2, a sixth where all units read all of it; of a CPU's last-level
///         cache no more than eight times what the L2s of the used cores hold, and at least twice
///         that. No elements where this is more than half of the cache;
///   dram: many times a GPU's L2; on a CPU what takes some ten milliseconds, of which a measurement
///         has to rotate over several sets where the last-level cache is large.
/// `passes` makes one execution long against starting it.
Problem problem_for(Operation operation, kernels::Level level, const device::Facts& facts);

/// What CPU variants work at.
std::vector<kernels::Level> levels_on_cpu();
/// What all CPU variants support: problems with elements.
device::Support supports_on_cpu(const Problem& problem, const device::Facts& facts);

/// Asks the device's oracle about the output for inputs `a` and `b`; of sums, about those of
/// kernels::part_of_sum elements. Null where there is none.
using DeviceOracle = void (*)(const Problem&, const kernels::RandomFloats& a,
                              const kernels::RandomFloats& b, const kernels::Question&,
                              device::Stream&);
DeviceOracle device_oracle();

/// Wrong elements of `out` among those checked; for sums 1 when the sum is wrong. `b` matters to
/// triad alone. Only sums depend on `passes`: of copy and triad, a pass that is left out
/// shows in the time alone (the tests look).
kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const kernels::RandomFloats& a, const kernels::RandomFloats& b,
                             const void* out, std::uint64_t seed);

}  // namespace ridgeline::stream
