#pragma once

#include <string>
#include <string_view>

#include "harness/catalogue/datasheets.hpp"

namespace ridgeline::catalogue {

/// A datasheet's model as a command line writes it: "A100 SXM4 80 GB" is a100-sxm4-80gb.
std::string slug(const Datasheet& sheet);

/// The datasheet that `name` means: a slug, or some of its words, with or without "nvidia-" before
/// them. Of several, an SXM module goes before a card, and then the highest bandwidth: "a100" is
/// a100-sxm4-80gb. Throws a usage Error with the nearest name, or all of them.
Datasheet datasheet_named(std::string_view name);

}  // namespace ridgeline::catalogue
