#pragma once

#include <cstdint>

#include "harness/device/kernel.hpp"

// Units of 16 keys and their values, which warps take one after the other from rings of their own
// in shared memory. A unit lies there as [half of the dimensions][key][64 dimensions], keys before
// values, with its pieces of 16 bytes in other places (swizzled), so that the eight rows of a
// matrix fall into different banks.
namespace ridgeline::decode::on_cuda {

constexpr int unit_keys = 16, panel = 64;  // dimensions of a row in shared memory: 128 bytes

template <int dim>
inline constexpr int unit_elements = 2 * unit_keys* dim;
template <int dim>
inline constexpr int ring_stages = 256 / dim;  // 16 KiB a warp

/// Where piece `piece` (8 dimensions) of a row lies in a unit's keys or values.
__device__ __forceinline__ int place(int row, int piece) {
  return (piece / 8 * unit_keys + row) * panel + ((piece % 8) ^ (row % 8)) * 8;
}

/// A unit, counted over all heads, and which one of which head it is.
struct UnitOfHead {
  int at, head, unit;
  __device__ __forceinline__ UnitOfHead(int at, int units)
      : at(at), head(at / units), unit(at - head * units) {}
  __device__ __forceinline__ void advance(int by, int units) {
    at += by;
    unit += by;
    while (unit >= units) {
      unit -= units;
      ++head;
    }
  }
};

}  // namespace ridgeline::decode::on_cuda
