#pragma once

// What the declarations of a kernel need of devices, which is less than device.hpp.
namespace ridgeline::device {

class Device;  // device.hpp
struct Facts;  // facts.hpp

/// The queue that kernels are launched on. `native` is the cudaStream_t, or null on a CPU, where a
/// launch runs at once.
struct Stream {
  void* native = nullptr;
};

}  // namespace ridgeline::device
