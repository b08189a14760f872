#pragma once

#include <string>
#include <vector>

namespace ridgeline::gate {

/// What the build of this program was told, as arguments for cmake ("-DRIDGELINE_CUDA=ON"): compilers, extra flags, and
/// whether and for what CUDA parts are built. Written at configure time.
std::vector<std::string> build_choices();

}  // namespace ridgeline::gate
