#pragma once

#include <cstdint>

#include "harness/base/dtype.hpp"
#include "harness/device/stream.hpp"

namespace ridgeline::attention::on_cuda {

/// Rows of bf16 or f16 scores in device memory, of which row r is of query r % queries: `keys`
/// scores, then what is needed for `stride` elements, a multiple of 8. Sizes may be 0.
struct ScoreRows {
  void* scores = nullptr;
  std::int64_t rows = 0, queries = 0, keys = 0, stride = 0;
  bool causal = false;  // query i sees keys 0..i only
  float factor = 1;     // of scores
  DType dtype = DType::bf16;
};

/// Puts softmax(factor * scores), with 0 for keys that are not seen, in the place of the scores.
void masked_softmax(const ScoreRows& rows, device::Stream& stream);

}  // namespace ridgeline::attention::on_cuda
