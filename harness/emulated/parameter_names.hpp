#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ridgeline::emulated {

/// What the parameters of the running program's function at `address` are called in its source.
/// Empty when the source cannot be read or has changed. A pack is the last one, and ends with
/// "...".
std::vector<std::string> parameter_names(std::uint64_t address);

/// Of a source without comments: {"from", "n"} of "void copy(const float* from, int n) {". Of
/// several functions of the name, the last one before `place` is meant, else the first behind it.
/// Empty when there is none.
std::vector<std::string> parameter_names(std::string_view source, std::string_view function,
                                         std::size_t place = 0);

}  // namespace ridgeline::emulated
