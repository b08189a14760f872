#pragma once

#include "harness/device/kernel.hpp"

// A warp's lanes as 8 rows of 4. Shared memory serves 16 lanes at once of a 16-byte load, not 8,
// where lanes i and i ^ 1 read the same, or lanes i and i ^ 2. So lanes i and i ^ 1 stand in one
// row, and i and i ^ 2 in one column: loads of left factors and of right ones both take 2
// wavefronts. With rows of lanes 4i .. 4i + 3, those of right factors take 4.
namespace ridgeline::gemm::on_cuda {

__device__ __forceinline__ int row_of_lane(int lane) { return lane / 2 % 2 + lane / 8 * 2; }
__device__ __forceinline__ int column_of_lane(int lane) { return lane % 2 + lane / 4 % 2 * 2; }

}  // namespace ridgeline::gemm::on_cuda
