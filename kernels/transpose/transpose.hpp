#pragma once

#include <cstdint>
#include <string_view>

#include "harness/device/stream.hpp"
#include "harness/device/support.hpp"
#include "kernels/budget.hpp"
#include "kernels/deviation.hpp"
#include "kernels/question.hpp"
#include "kernels/traffic.hpp"
#include "kernels/variant.hpp"

/// Transposes a matrix: whichever way it is walked, either reading or writing goes down columns.
namespace ridgeline::transpose {

/// out[c][r] = in[r][c]; both row-major and dense, `in` of rows x cols floats.
struct Problem {
  std::int64_t rows = 0, cols = 0;

  std::int64_t elements() const { return rows * cols; }
  /// Useful bytes: each element read and written.
  double bytes() const { return 8.0 * static_cast<double>(elements()); }
};

/// Matrices in device memory, aligned to 256 bytes.
struct Operands {
  const float* in = nullptr;
  float* out = nullptr;
};

struct Variant {
  std::string_view idea;
  device::Support (*supports)(const Problem&, const device::Facts&);
  void (*launch)(const Problem&, const Operands&, device::Stream&);
  kernels::Traffic (*traffic)(const Problem&);
  kernels::Budget budget = {};
};

kernels::Table<Variant> variants();

/// Asks the device's oracle about the output for inputs `in`. Null where there is none.
using DeviceOracle = void (*)(const Problem&, const kernels::RandomFloats& in,
                              const kernels::Question&, device::Stream&);
DeviceOracle device_oracle();

/// Wrong elements of `out` among those checked.
kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const kernels::RandomFloats& in, const float* out, std::uint64_t seed);

}  // namespace ridgeline::transpose
