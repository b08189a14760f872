#include "harness/run/order.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ridgeline::run {
namespace {

/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
std::uint64_t next(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

std::uint64_t replicate_seed(std::uint64_t seed, int replicate) {
  std::uint64_t state = seed + static_cast<std::uint64_t>(replicate) * 0xd1342543de82ef95;
  return (next(state) >> 12) | 1;
}

std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::uint64_t state = seed;
  // The remainder's bias is below count / 2^64.
  for (std::size_t left = count; left > 1; --left)
    std::swap(order[left - 1], order[next(state) % left]);
  return order;
}

std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed,
                                  const std::function<bool(std::size_t)>& goes_first) {
  std::vector<std::size_t> order = shuffled(count, seed);
  std::stable_partition(order.begin(), order.end(), goes_first);  // clang 14 has no subrange
  return order;
}

}  // namespace ridgeline::run
