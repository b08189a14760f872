#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace ridgeline::emulated {

/// Adds texts to a compiled file, for harness/emulated/program_texts.hpp to find in its program.
void write_texts(const char* section, const std::vector<std::string>& texts,
                 std::ostream& assembly);

}  // namespace ridgeline::emulated
