#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <vector_types.h>

namespace ridgeline::emulated {

/// "5" where only x varies, else "(5, 1, 0)": number `number` of a block of threads, or of a grid
/// of blocks.
std::string index_of(std::uint64_t number, const dim3& size);

/// "thread 5", "threads 0 to 31 and 64", or, of more than three such ranges, "threads 0, 2, 4 and
/// 29 others". Of numbers in a block that grow.
std::string names_of(std::span<const int> threads, const dim3& block);

}  // namespace ridgeline::emulated
