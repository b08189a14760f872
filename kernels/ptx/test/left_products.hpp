#pragma once

#include "harness/device/stream.hpp"

namespace ridgeline::ptx::test {

/// d = a b^T by wgmma, of 64 x columns (64, 80 or 128) and a depth of 64 elements of f16 (or bf16).
/// a is 64 rows of 64, or, `transposed`, 64 columns of 64; b is `columns` rows of 64. d[thread *
/// columns / 2 + i] is register i of each of the 128 threads.
void multiply_left(device::Stream& stream, bool bf16, int columns, bool transposed, const void* a,
                   const void* b, float* d);

}  // namespace ridgeline::ptx::test
