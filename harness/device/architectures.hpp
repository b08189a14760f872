#pragma once

#include <string_view>

namespace ridgeline::device {

/// Whether machine code for one of `architectures` ("80,90a", comma-separated) runs on a GPU of
/// `capability` (10 * major + minor): code runs on the same major version with the same or a higher
/// minor one, and "90a" on 9.0 alone. Source: CUDA C++ Programming Guide, "Binary Compatibility"
/// and "Feature Set Compiler Targets".
bool has_code_for(std::string_view architectures, int capability);

}  // namespace ridgeline::device
