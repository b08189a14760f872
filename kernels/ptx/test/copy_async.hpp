#pragma once

#include "harness/device/stream.hpp"

namespace ridgeline::ptx::test {

/// 128 threads copy 128 words to shared memory while another group of copies is under way, and then
/// to `to`: in pieces of 4 bytes, which are transposed on their way from 8 rows of 16, or in pieces
/// of 16 bytes. The last `outside` pieces are not inside. Device memory.
void copy_to_shared(device::Stream& stream, bool words, int outside, const float* from, float* to);

/// 128 threads copy a word each to shared memory, meet at an mbarrier at which their copies arrive,
/// and write the words to `to`, the last one first. Device memory.
void copy_and_arrive(device::Stream& stream, const float* from, float* to);

}  // namespace ridgeline::ptx::test
