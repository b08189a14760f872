#pragma once

#include <cstdint>
#include <string_view>

#include "harness/device/stream.hpp"
#include "harness/device/support.hpp"
#include "kernels/deviation.hpp"
#include "kernels/question.hpp"
#include "kernels/traffic.hpp"
#include "kernels/variant.hpp"

/// Copies that differ only in which elements they touch, and how wide each access is.
namespace ridgeline::memory {

/// Of arrays of `elements` floats, copies those at offset, offset + stride, offset + 2 stride, ...,
/// with accesses of `width` bytes: 4, 8 or 16 of a thread, thousands of the asynchronous unit. All
/// other elements of the output stay as they were.
struct Problem {
  std::int64_t elements = 0;
  std::int64_t stride = 1;
  std::int64_t offset = 0;
  int width = 4;

  std::int64_t copied() const {
    return elements <= offset ? 0 : (elements - offset + stride - 1) / stride;
  }
  bool copies(std::int64_t i) const { return i >= offset && (i - offset) % stride == 0; }
  /// Useful bytes: each copied element read and written.
  double bytes() const { return 8.0 * static_cast<double>(copied()); }
};

/// Arrays of `elements` floats in device memory, aligned to 256 bytes.
struct Operands {
  const float* in = nullptr;
  float* out = nullptr;
};

struct Variant {
  std::string_view idea;
  device::Support (*supports)(const Problem&, const device::Facts&);
  void (*launch)(const Problem&, const Operands&, device::Stream&);
  kernels::Traffic (*traffic)(const Problem&);
};

kernels::Table<Variant> variants();

/// Supports of the variants: each varies one field of the problem and wants the others at their
/// defaults.
device::Support only_stride(const Problem& problem, const device::Facts& facts);
device::Support only_offset(const Problem& problem, const device::Facts& facts);
device::Support only_width(const Problem& problem, const device::Facts& facts);

/// Traffic of any of these patterns on either kind of device.
kernels::Traffic gpu_traffic(const Problem& problem);
kernels::Traffic cpu_traffic(const Problem& problem);

/// Asks the device's oracle about the output for inputs `in`. Null where there is none.
using DeviceOracle = void (*)(const Problem&, const kernels::RandomFloats& in,
                              const kernels::Question&, device::Stream&);
DeviceOracle device_oracle();

/// Wrong elements among those checked: copied ones must hold the bits of `in`, all others the
/// poison.
kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const kernels::RandomFloats& in, const float* out, std::uint64_t seed);

}  // namespace ridgeline::memory
