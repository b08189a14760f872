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

enum class Operation { read, copy, triad };

/// `passes` times over arrays of `elements` floats:
///   read:  the bits of a, summed modulo 2^32 (exact in any order, and one load an addition)
///   copy:  c = a
///   triad: c = a + 2 b (exact: a product by 2 does not round)
/// `level` says which level of memory the arrays lie in: kernels pick loads and stores by it. At l1
/// unit u of `units` (a thread of a CPU, a block of a GPU) works on part u alone, all passes in a
/// row; otherwise too on a CPU.
struct Problem {
  Operation operation = Operation::read;
  kernels::Level level = kernels::Level::dram;
  std::int64_t elements = 0;
  int passes = 1;
  int units = 1;

  int arrays() const {
    return operation == Operation::read ? 1 : operation == Operation::copy ? 2 : 3;
  }
  /// As the STREAM benchmark counts: each array once a pass, no lines that a cache fetches before
  /// it writes them.
  double bytes() const { return 4.0 * arrays() * static_cast<double>(elements) * passes; }
  double flops() const {
    return operation == Operation::triad ? 2.0 * static_cast<double>(elements) * passes : 0.0;
  }
  /// Elements of `out`: read writes partial sums, to be added up modulo 2^32.
  std::int64_t outputs() const { return operation == Operation::read ? partial_sums() : elements; }
  std::int64_t partial_sums() const { return static_cast<std::int64_t>(units) * sums_per_unit; }

  static constexpr int sums_per_unit = 1024;  // at most this many threads of a unit have one each;
                                              // the rest hold 0
};

/// Floats in device memory, each array aligned to 256 bytes.
struct Operands {
  const float* a = nullptr;
  const float* b = nullptr;  // triad alone
  void* out = nullptr;       // outputs() elements: std::uint32_t for read, float otherwise
};

struct Variant {
  std::string_view idea;
  Operation operation;
  device::Support (*supports)(const Problem&, const device::Facts&);
  void (*launch)(const Problem&, const Operands&, device::Stream&);
};

kernels::Table<Variant> variants();

/// The problem whose arrays together fill
///   l1:   half of each unit's L1;
///   llc:  a third of a GPU's L2; of a CPU's last-level cache no more than eight times what the L2s
///         of the used cores hold, and at least twice that. No elements where this is more than
///         half of the cache;
///   dram: many times a GPU's L2; on a CPU what takes some ten milliseconds, of which a measurement
///         has to rotate over several sets where the last-level cache is large.
/// `passes` makes one execution long against starting it.
Problem problem_for(Operation operation, kernels::Level level, const device::Facts& facts);

/// What all CPU variants support: problems with elements.
device::Support supports_on_cpu(const Problem& problem, const device::Facts& facts);

/// Asks the device's oracle about the output for inputs `a` and `b`; of read, about sums of
/// kernels::part_of_sum elements. Null where there is none.
using DeviceOracle = void (*)(const Problem&, const kernels::RandomFloats& a,
                              const kernels::RandomFloats& b, const kernels::Question&,
                              device::Stream&);
DeviceOracle device_oracle();

/// Wrong elements of `out` among those checked; for read 1 when the sum is wrong. `b` matters to
/// triad alone. Only read's result depends on `passes`: of copy and triad, a pass that is left out
/// shows in the time alone (the tests look).
kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const kernels::RandomFloats& a, const kernels::RandomFloats& b,
                             const void* out, std::uint64_t seed);

}  // namespace ridgeline::stream
