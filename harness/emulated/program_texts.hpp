#pragma once

#include <string_view>
#include <vector>

namespace ridgeline::emulated {

/// Texts that compile_kernels has left in the program, of its sources: pairs of places at which an
/// index into a local array is compared, and the array; and variables that may be read before they
/// are written.
std::vector<std::string_view> local_index_texts();
std::vector<std::string_view> unset_variable_texts();

}  // namespace ridgeline::emulated
