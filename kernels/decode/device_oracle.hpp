#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/decode/decode.hpp"
#include "kernels/elements.hpp"
#include "kernels/worst.hpp"

// The oracle of devices, oracle.cu: what it computes and compares, all in device memory and
// enqueued on the stream.
namespace ridgeline::decode {

struct Inputs {
  kernels::Elements q, k, v;
};

/// Heads first .. first + count - 1 of all_heads().
struct Heads {
  std::int64_t first = 0, count = 0;
};

/// Of some heads: outputs, count x dim, and a tolerance each, as Expected has them on the host.
struct ExpectedHeads {
  double *o = nullptr, *tolerances = nullptr;
};

/// Unit roundoffs of the elements and of the sums.
struct Roundings {
  double elements = 0, sums = 0;
};
Roundings roundings(DType dtype);

/// What DeviceOracle points to.
struct OracleCalls {
  /// Bytes of device memory that one call of expect() for so many heads uses.
  std::size_t (*scratch)(const Problem&, std::int64_t heads);
  void (*expect)(const Problem&, const Inputs&, const Heads&, const Roundings&, void* scratch,
                 const ExpectedHeads&, device::Stream&);
  /// Worst elements of the whole output `o`: all heads are expected.
  void (*compare)(const Problem&, const ExpectedHeads&, const void* o, kernels::Worst*,
                  device::Stream&);
};

}  // namespace ridgeline::decode
