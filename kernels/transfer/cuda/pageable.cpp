#include <cstdlib>
#include <cstring>
#include <new>

#include "kernels/transfer/cuda/copy_over_link.hpp"

// What malloc() gives: pages that the system may move, so that the driver copies them through
// locked pages of its own, piece by piece, and the call returns no earlier. Bound by one core of
// the host, which copies each piece.
namespace ridgeline::transfer::on_cuda {

static std::shared_ptr<float> allocate_pageable(std::size_t floats) {
  void* const memory = std::malloc(floats * sizeof(float));
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, floats * sizeof(float));
  return {static_cast<float*>(memory), std::free};
}

Variant pageable() {
  return {"ordinary pages: the host copies each piece through locked ones", any_transfer,
          allocate_pageable, copy_over_link};
}

}  // namespace ridgeline::transfer::on_cuda
