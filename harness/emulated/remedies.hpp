#pragma once

#include <string_view>

namespace ridgeline::emulated {

/// What to do about a mistake that the check of this name finds, in half a sentence. Empty where
/// nothing holds for all that it finds, or where the finding says it itself.
std::string_view remedy_of(std::string_view check);

}  // namespace ridgeline::emulated
