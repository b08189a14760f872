#pragma once

#include <cstdint>

#include "harness/device/kernel.hpp"

namespace ridgeline::gemm::on_cuda {

/// Writes the elements of a matrix from number `first` on that a Vector holds; `first` is a
/// multiple of their number. Counted in whole vectors: through a pointer to elements, nvcc splits
/// half of the stores, since the address of a row's first store serves its next ones, too.
template <class Vector, class Element>
__device__ __forceinline__ void store_whole(Element* matrix, std::int64_t first, Vector value) {
  constexpr std::uint64_t elements = sizeof(Vector) / sizeof(Element);
  reinterpret_cast<Vector*>(matrix)[static_cast<std::uint64_t>(first) / elements] = value;
}

}  // namespace ridgeline::gemm::on_cuda
