#include "kernels/gemm/register_tile.hpp"

// 6 x 8: 12 of the 16 vector registers that every x86-64 CPU has are sums.
namespace ridgeline::gemm {
const RegisterTile tile_baseline = make_tile<4, 6, 2>();
}
