#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// What a gate leaves to chance, drawn from its seed alone, so that it can be gone on with and
/// repeated.
namespace ridgeline::gate {

enum class Side { baseline, candidate };
std::string_view to_string(Side side);

/// Whether the baseline is sampled first in this round of this case: by chance in even rounds, and
/// the other way round in the odd round that follows, so that each side is first equally often.
bool baseline_first(std::uint64_t seed, std::string_view case_name, int round);

/// protocol::Prepare::layout of one side of one round of a case; never 0.
std::uint64_t layout_of(std::uint64_t seed, std::string_view case_name, int round, Side side);

/// Length of a variable that makes the environment of one side's process larger, which moves its
/// stack: up to 4095 bytes (Mytkowicz et al., ASPLOS 2009).
std::size_t padding_of(std::uint64_t seed, int round, Side side);

}  // namespace ridgeline::gate
