#pragma once

#include <string_view>

namespace ridgeline::device {

/// What a build has for a GPU: nothing that runs on it, machine code, or only PTX, of which the
/// driver makes machine code before a kernel's first launch.
enum class Code { none, machine, ptx };

/// What a build for `architectures` ("80,90a,compute_80", comma-separated) has for a GPU of
/// `capability` (10 * major + minor). Machine code runs on the same major version with the same or
/// a higher minor one, "90a" on 9.0 alone, and PTX ("compute_80") on its own capability and all
/// higher ones. Source: CUDA C++ Programming Guide, "Binary Compatibility", "PTX Compatibility" and
/// "Feature Set Compiler Targets".
Code code_for(std::string_view architectures, int capability);

}  // namespace ridgeline::device
