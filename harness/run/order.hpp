#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace ridgeline::run {

/// Seed of replicate `replicate` of a run with `seed`; never 0. Below 2^53, so that JSON readers
/// keep all of it.
std::uint64_t replicate_seed(std::uint64_t seed, int replicate);

/// 0 to count - 1 in a random order that depends on `seed` alone, on every machine.
std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed);

/// The same, but those that `goes_first` accepts stand before all others.
std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed,
                                  const std::function<bool(std::size_t)>& goes_first);

}  // namespace ridgeline::run
