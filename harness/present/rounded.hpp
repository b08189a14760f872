#pragma once

#include "harness/base/json.hpp"

namespace ridgeline::present {

/// With so many significant digits, for a document with very many numbers; whole where it is
/// ("1010", not "1010.0"). `ns` is above 0.
json::Value rounded(double ns, int significant = 6);

}  // namespace ridgeline::present
