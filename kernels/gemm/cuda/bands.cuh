#pragma once

#include <cstdint>

#include "harness/device/kernel.hpp"

namespace ridgeline::gemm::on_cuda {

/// The row and the column of a block's tile, of `rows` x `columns` that cover C: bands of 16 rows,
/// column by column, so that blocks that run at the same time read few different rows and columns.
struct PlaceInBand {
  std::int64_t row, column;

  __device__ __forceinline__ PlaceInBand(std::int64_t rows, std::int64_t columns) {
    const std::int64_t band = blockIdx.x / (most * columns),
                       in_band = blockIdx.x % (most * columns),
                       height = min(most, rows - band * most);
    row = band * most + in_band % height;
    column = in_band / height;
  }

 private:
  static constexpr std::int64_t most = 16;
};

}  // namespace ridgeline::gemm::on_cuda
