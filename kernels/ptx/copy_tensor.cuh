#pragma once

#include "kernels/ptx/copy_bulk.cuh"
#include "kernels/ptx/tensor_map.hpp"

// Copies of boxes of tensors that one thread starts and the asynchronous unit carries out (PTX ISA,
// "cp.async.bulk.tensor"; from sm_90 on). The map says where the tensor lies, and how large a box
// is; coordinates are those of the box's first element, the contiguous dimension first. The box
// lies in shared memory row by row, at a multiple of 128 bytes, with its pieces of 16 bytes
// swizzled as the map says; what lies outside of the tensor is zero, and is not stored.
namespace ridgeline::ptx {

/// Fetches the map itself, so that the first copy does not wait for it.
__device__ __forceinline__ void prefetch_map([[maybe_unused]] const device::TensorMap& map) {
#if defined(__CUDACC__)
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
#endif
}

/// Loads a box to shared memory. Its bytes, also those outside of the tensor, arrive at `barrier`.
__device__ __forceinline__ void load_box(void* to_shared, const device::TensorMap& map, int x,
                                         Barrier* barrier) {
#if defined(__CUDACC__)
  asm volatile(
      "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
      "{%2}], [%3];" ::"r"(shared_address(to_shared)),
      "l"(&map), "r"(x), "r"(shared_address(barrier))
      : "memory");
#else
  const int at[] = {x};
  emulated::tensor_load(to_shared, map, at, 1, barrier);
#endif
}
__device__ __forceinline__ void load_box(void* to_shared, const device::TensorMap& map, int x,
                                         int y, Barrier* barrier) {
#if defined(__CUDACC__)
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
      "{%2, %3}], [%4];" ::"r"(shared_address(to_shared)),
      "l"(&map), "r"(x), "r"(y), "r"(shared_address(barrier))
      : "memory");
#else
  const int at[] = {x, y};
  emulated::tensor_load(to_shared, map, at, 2, barrier);
#endif
}
__device__ __forceinline__ void load_box(void* to_shared, const device::TensorMap& map, int x,
                                         int y, int z, Barrier* barrier) {
#if defined(__CUDACC__)
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
      "{%2, %3, %4}], "
      "[%5];" ::"r"(shared_address(to_shared)),
      "l"(&map), "r"(x), "r"(y), "r"(z), "r"(shared_address(barrier))
      : "memory");
#else
  const int at[] = {x, y, z};
  emulated::tensor_load(to_shared, map, at, 3, barrier);
#endif
}
__device__ __forceinline__ void load_box(void* to_shared, const device::TensorMap& map, int x,
                                         int y, int z, int u, Barrier* barrier) {
#if defined(__CUDACC__)
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
      "{%2, %3, %4, %5}], "
      "[%6];" ::"r"(shared_address(to_shared)),
      "l"(&map), "r"(x), "r"(y), "r"(z), "r"(u), "r"(shared_address(barrier))
      : "memory");
#else
  const int at[] = {x, y, z, u};
  emulated::tensor_load(to_shared, map, at, 4, barrier);
#endif
}
__device__ __forceinline__ void load_box(void* to_shared, const device::TensorMap& map, int x,
                                         int y, int z, int u, int v, Barrier* barrier) {
#if defined(__CUDACC__)
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
      "{%2, %3, %4, %5, "
      "%6}], [%7];" ::"r"(shared_address(to_shared)),
      "l"(&map), "r"(x), "r"(y), "r"(z), "r"(u), "r"(v), "r"(shared_address(barrier))
      : "memory");
#else
  const int at[] = {x, y, z, u, v};
  emulated::tensor_load(to_shared, map, at, 5, barrier);
#endif
}

/// Loads a box to the same place in all blocks of the cluster whose bit of `ranks` is set, this one
/// among them. Its bytes arrive at the barrier at the same place in each of them.
__device__ __forceinline__ void load_box_multicast(void* to_shared, const device::TensorMap& map,
                                                   int x, int y, Barrier* barrier,
                                                   unsigned short ranks) {
#if defined(__CUDACC__)
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast"
      "::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to_shared)),
      "l"(&map), "r"(x), "r"(y), "r"(shared_address(barrier)), "h"(ranks)
      : "memory");
#else
  const int at[] = {x, y};
  emulated::tensor_load_multicast(to_shared, map, at, 2, barrier, ranks);
#endif
}

/// Stores a box from shared memory, as part of the thread's next group (copy_bulk_commit()).
__device__ __forceinline__ void store_box(const device::TensorMap& map, int x,
                                          const void* from_shared) {
#if defined(__CUDACC__)
  asm volatile(
      "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%2}], [%1];" ::"l"(&map),
      "r"(shared_address(from_shared)), "r"(x)
      : "memory");
#else
  const int at[] = {x};
  emulated::tensor_store(map, at, 1, from_shared);
#endif
}
__device__ __forceinline__ void store_box(const device::TensorMap& map, int x, int y,
                                          const void* from_shared) {
#if defined(__CUDACC__)
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(
          &map),
      "r"(shared_address(from_shared)), "r"(x), "r"(y)
      : "memory");
#else
  const int at[] = {x, y};
  emulated::tensor_store(map, at, 2, from_shared);
#endif
}
__device__ __forceinline__ void store_box(const device::TensorMap& map, int x, int y, int z,
                                          const void* from_shared) {
#if defined(__CUDACC__)
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(
          &map),
      "r"(shared_address(from_shared)), "r"(x), "r"(y), "r"(z)
      : "memory");
#else
  const int at[] = {x, y, z};
  emulated::tensor_store(map, at, 3, from_shared);
#endif
}
__device__ __forceinline__ void store_box(const device::TensorMap& map, int x, int y, int z, int u,
                                          const void* from_shared) {
#if defined(__CUDACC__)
  asm volatile(
      "cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4, %5}], [%1];" ::
          "l"(&map),
      "r"(shared_address(from_shared)), "r"(x), "r"(y), "r"(z), "r"(u)
      : "memory");
#else
  const int at[] = {x, y, z, u};
  emulated::tensor_store(map, at, 4, from_shared);
#endif
}
__device__ __forceinline__ void store_box(const device::TensorMap& map, int x, int y, int z, int u,
                                          int v, const void* from_shared) {
#if defined(__CUDACC__)
  asm volatile(
      "cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4, %5, %6}], "
      "[%1];" ::"l"(&map),
      "r"(shared_address(from_shared)), "r"(x), "r"(y), "r"(z), "r"(u), "r"(v)
      : "memory");
#else
  const int at[] = {x, y, z, u, v};
  emulated::tensor_store(map, at, 5, from_shared);
#endif
}

}  // namespace ridgeline::ptx
