#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/device/stream.hpp"
#include "harness/device/support.hpp"
#include "kernels/deviation.hpp"
#include "kernels/question.hpp"
#include "kernels/variant.hpp"

/// The same work with more or less of it in flight: more warps (threads on a CPU), or more
/// independent loads or multiply-adds in each of them.
namespace ridgeline::occupancy {

/// What keeps more warps from an SM: the launch itself (one or two blocks per SM, no more are
/// started), the registers of its threads, or the shared memory of its blocks. A CPU has as many
/// threads as are started.
enum class Limit { threads, block, registers, shared };
std::string_view to_string(Limit limit);

enum class Operation { load, fma };

/// Operation load sums the bits of `elements` floats modulo 2^32; a thread has `independent` loads
/// of `width` bytes in flight (on a CPU: of one line) and starts the next ones only when these have
/// come.
///
/// Operation fma takes `independent` floats of each thread through `rounds` rounds of
/// kernels/exact_steps.hpp; a thread's multiply-adds on one float wait for each other.
struct Problem {
  Operation operation = Operation::load;
  Limit limit = Limit::threads;
  int parallel = 1;           // warps per SM, or threads of a CPU
  int independent = 1;        // 1, 2, 4, 8 or 16
  int width = 4;              // bytes of a load: 4, 8 or 16; of a CPU's line 64
  std::int64_t elements = 0;  // load
  std::int64_t rounds = 1;    // fma
  int units = 1;              // SMs
  int vector = 1;             // floats in a CPU's vector, which is one chain
  std::uint64_t shared_per_unit = 0;

  /// Threads of the whole device.
  std::int64_t threads() const {
    return limit == Limit::threads ? parallel : std::int64_t{units} * parallel * 32;
  }
  /// Floats that fma works on.
  std::int64_t lanes() const { return threads() * independent * vector; }
  std::int64_t outputs() const { return operation == Operation::load ? threads() : lanes(); }
  double bytes() const {
    return operation == Operation::load ? 4.0 * static_cast<double>(elements)
                                        : 8.0 * static_cast<double>(lanes());
  }
  double flops() const;
  /// Bytes that an SM or a core asks for before it waits (load).
  double bytes_in_flight() const {
    return (limit == Limit::threads ? 1.0 : 32.0 * parallel) * static_cast<double>(independent) *
           width;
  }
};

/// Blocks of an SM: how many are resident at once, given how many are started, and how many would
/// fit.
struct Residency {
  int blocks_per_unit = 0, warps_per_block = 0, blocks_that_fit = 0;
  int warps() const { return blocks_per_unit * warps_per_block; }
};

/// `in`: `elements` or `lanes()` floats; `out`: outputs() words of 4 bytes, for load partial sums,
/// for fma floats. Device memory, aligned to 256 bytes.
struct Operands {
  const float* in = nullptr;
  void* out = nullptr;
  /// Two counters for each SM number below 1024, zero before the launch: blocks there now, and the
  /// most there were. Null when nothing is to be counted.
  std::uint32_t* census = nullptr;
};
inline constexpr int census_units = 1024;

struct Variant {
  std::string_view idea;
  Operation operation;
  device::Support (*supports)(const Problem&, const device::Facts&);
  void (*launch)(const Problem&, const Operands&, device::Stream&);
  /// What the CUDA runtime predicts, or on the emulated device the rules of its architecture; null
  /// on a CPU.
  Residency (*predict)(const Problem&, const device::Facts&) = nullptr;
};

kernels::Table<Variant> variants();

/// Asks the device's oracle about the output for inputs `in`; of load, about sums of
/// kernels::part_of_sum elements. Null where there is none.
using DeviceOracle = void (*)(const Problem&, const kernels::RandomFloats& in,
                              const kernels::Question&, device::Stream&);
DeviceOracle device_oracle();

/// Wrong elements of `out` among those checked; for load 1 when the sum is wrong.
kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const kernels::RandomFloats& in, const void* out, std::uint64_t seed);

/// Warps that were on one SM at a time, the mean over the SMs that had any, from a census.
double warps_that_ran(const std::vector<std::uint32_t>& census, const Residency& predicted);

}  // namespace ridgeline::occupancy
