#include "kernels/attention/panel_softmax.hpp"

#include "kernels/gemm/register_tile.hpp"

namespace ridgeline::attention {

const PanelSoftmax& widest_softmax() {
  const int columns = gemm::widest_tile().columns;
  if (columns == softmax_avx512.columns) return softmax_avx512;
  return columns == softmax_avx2.columns ? softmax_avx2 : softmax_baseline;
}

}  // namespace ridgeline::attention
