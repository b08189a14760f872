#pragma once

#include <vector>

#include "harness/device/buffer.hpp"
#include "kernels/gemm/gemm.hpp"

namespace ridgeline::gemm {

/// The scales of e4m3 in device memory.
class Scales {
 public:
  explicit Scales(device::Device& device)
      : both_(device, std::vector{e4m3_scale_a, 0.0f, 0.0f, 0.0f, e4m3_scale_b}) {}
  const float* a() const { return both_.data(); }
  const float* b() const { return both_.data() + 4; }

 private:
  device::Buffer<float> both_;
};

}  // namespace ridgeline::gemm
