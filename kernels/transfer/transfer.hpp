#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "harness/device/stream.hpp"
#include "harness/device/support.hpp"
#include "kernels/variant.hpp"

/// Copies between the host's memory and the device's, over the link between them.
namespace ridgeline::transfer {

enum class Direction { to_device, to_host };

std::string_view to_string(Direction direction);

/// Copies `elements` floats that follow each other.
struct Problem {
  Direction direction = Direction::to_device;
  std::int64_t elements = 0;

  /// Over the link.
  double bytes() const { return 4.0 * static_cast<double>(elements); }
};

/// `host` is memory of Variant::allocate().
struct Operands {
  float* host = nullptr;
  float* device = nullptr;
};

/// Variants differ in the host's memory.
struct Variant {
  std::string_view idea;
  device::Support (*supports)(const Problem&, const device::Facts&);
  /// Pages of the host that have been touched, for so many floats. Throws Error when there are not
  /// so many.
  std::shared_ptr<float> (*allocate)(std::size_t floats);
  void (*launch)(const Problem&, const Operands&, device::Stream&);
  bool measures_link = false;  // as fast as the link allows
};

/// Those for GPUs alone: a CPU and an emulated device have no link.
kernels::Table<Variant> variants();

}  // namespace ridgeline::transfer
