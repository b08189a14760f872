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

/// Whether the baseline is sampled first in this round of this case: a fair coin for each round,
/// and no balance between rounds. So the sign of each pair is a coin, too, when both sides are
/// equal, whatever the machine does in the order of time: drift, periods, memory of earlier
/// processes.
bool baseline_first(std::uint64_t seed, std::string_view case_name, int round);

/// protocol::Prepare::layout of one side of one round of a case; never 0.
std::uint64_t layout_of(std::uint64_t seed, std::string_view case_name, int round, Side side);

/// Length of a variable that makes the environment of one side's process larger, which moves its
/// stack: up to 4095 bytes (Mytkowicz et al., ASPLOS 2009).
std::size_t padding_of(std::uint64_t seed, int round, Side side);

}  // namespace ridgeline::gate
