#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ridgeline::emulated {

/// What the parameters of the running program's function at `address` are called in its source.
/// Empty when the source cannot be read or has changed.
std::vector<std::string> parameter_names(std::uint64_t address);

/// Of a source that begins at or before the function's name: {"from", "n"} of "void copy(const
/// float* from, int n) {". Empty when that is not what stands there.
std::vector<std::string> parameter_names(std::string_view source, std::string_view function);

}  // namespace ridgeline::emulated
