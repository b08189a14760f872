#pragma GCC target("avx512f,fma,prefer-vector-width=512")
#include "kernels/gemm/register_tile.hpp"

// 12 x 32: 24 of the 32 vector registers are sums.
namespace ridgeline::gemm {
const RegisterTile tile_avx512 = make_tile<16, 12, 2>();
}
