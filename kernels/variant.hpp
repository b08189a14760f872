#pragma once

#include <string_view>
#include <vector>

#include "harness/device/kind.hpp"

namespace ridgeline::kernels {

/// A variant of a family with its name (the name of the file it stands in) and the kind of device
/// it runs on. `Variant` is the family's own struct of functions: at least `idea`, `supports` and
/// `launch`.
template <class Variant>
struct Named {
  std::string_view name;
  device::Kind kind;
  Variant variant;
};

template <class Variant>
using Table = std::vector<Named<Variant>>;

}  // namespace ridgeline::kernels
