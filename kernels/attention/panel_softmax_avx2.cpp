#pragma GCC target("avx2,fma")
#include "kernels/attention/panel_softmax.hpp"

namespace ridgeline::attention {
const PanelSoftmax softmax_avx2 = make_softmax<8, 2>();
}
