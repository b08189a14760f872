#pragma once

#include <cstdint>
#include <string_view>

#include "harness/device/stream.hpp"
#include "harness/device/support.hpp"
#include "kernels/variant.hpp"

/// Copies between the memories of two GPUs of one host, by the link between them.
namespace ridgeline::peer_copy {

/// As seen from the GPU that measures. Both ways: each GPU writes to the other at the same time.
enum class Direction { to_peer, from_peer, both_ways };

std::string_view to_string(Direction direction);

/// `elements` floats that follow each other, each way.
struct Problem {
  int distance = 1;  // of the peer: 1 is the next GPU in the order of `ridgeline devices`, and the
                     // first comes after the last
  Direction direction = Direction::to_peer;
  std::int64_t elements = 0;
  int units = 0;  // SMs of the GPU that copies

  /// Over the link, both ways together.
  double bytes() const {
    return (direction == Direction::both_ways ? 8.0 : 4.0) * static_cast<double>(elements);
  }
};

/// One way. GPUs by their numbers in CUDA.
struct Operands {
  const float* from = nullptr;
  float* to = nullptr;
  int from_gpu = 0, to_gpu = 0;
};

/// Variants differ in what of a GPU copies. Each GPU reaches the other's memory directly.
struct Variant {
  std::string_view idea;
  device::Support (*supports)(const Problem&, const device::Facts&);
  /// Enqueues one way, on a stream of the GPU that is the calling thread's.
  void (*launch)(const Problem&, const Operands&, device::Stream&);
};

/// Whether there is such a peer, and each of the two reaches the other's memory directly.
device::Support any_direct_peer(const Problem& problem, const device::Facts& facts);

/// N of "cuda:N"; 0 for a device without a number.
int gpu_number(std::string_view device_id);

kernels::Table<Variant> variants();

}  // namespace ridgeline::peer_copy
