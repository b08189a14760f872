#pragma GCC target("avx2,fma")
#include "kernels/gemm/register_tile.hpp"

// 6 x 16: 12 of the 16 vector registers are sums.
namespace ridgeline::gemm {
const RegisterTile tile_avx2 = make_tile<8, 6, 2>();
}
