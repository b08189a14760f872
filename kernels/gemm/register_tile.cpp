#include "kernels/gemm/register_tile.hpp"

namespace ridgeline::gemm {

const RegisterTile& widest_tile() {
  if (__builtin_cpu_supports("avx512f")) return tile_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return tile_avx2;
  return tile_baseline;
}

}  // namespace ridgeline::gemm
