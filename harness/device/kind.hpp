#pragma once

#include <string_view>

namespace ridgeline::device {

enum class Kind { cpu, cuda, emulated, fake };  // emulated: counts, and has no times
std::string_view to_string(Kind kind);

}  // namespace ridgeline::device
