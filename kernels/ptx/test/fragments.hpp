#pragma once

#include "harness/device/stream.hpp"

// One warp moves or multiplies what the host laid out, register by register, so that tests compare
// each fragment with the tables of the PTX ISA. Each function launches one kernel; pointers are
// device memory.
namespace ridgeline::ptx::test {

/// Loads `count` (1, 2 or 4) matrices of 8 x 8 elements that follow each other;
/// out[lane * count + i] is register i.
void load(device::Stream& stream, int count, bool transposed, const unsigned short* matrices,
          unsigned* out);
/// The way back: register i of each lane from in[lane * count + i].
void store(device::Stream& stream, int count, bool transposed, const unsigned* in,
           unsigned short* matrices);

/// out[lane] is the register of each lane after the transposition of a matrix that in[lane] holds.
void transpose(device::Stream& stream, const unsigned* in, unsigned* out);

enum class Factor { f16, bf16, tf32 };
/// c += a b by one mma.sync: a[4 lane + i], b[2 lane + i] and c[4 lane + i] are register i of each
/// lane.
void multiply(device::Stream& stream, Factor type, const unsigned* a, const unsigned* b, float* c);

}  // namespace ridgeline::ptx::test
