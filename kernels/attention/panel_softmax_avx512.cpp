#pragma GCC target("avx512f,fma,prefer-vector-width=512")
#include "kernels/attention/panel_softmax.hpp"

namespace ridgeline::attention {
const PanelSoftmax softmax_avx512 = make_softmax<16, 2>();
}
