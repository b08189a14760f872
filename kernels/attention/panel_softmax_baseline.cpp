#include "kernels/attention/panel_softmax.hpp"

namespace ridgeline::attention {
const PanelSoftmax softmax_baseline = make_softmax<4, 2>();
}
