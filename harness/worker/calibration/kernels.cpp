#include "harness/worker/calibration/kernels.hpp"

#include <cstring>

#include "harness/device/random.hpp"

namespace ridgeline::worker::calibration {
namespace {

using Floats [[gnu::vector_size(4 * lanes_of_chain)]] = float;
using Words [[gnu::vector_size(16)]] = std::uint32_t;

/// Counts in memory, one by one, so that what it holds is what was done and not what was asked for.
class Counter {
 public:
  void add_one() { count_ = count_ + 1; }
  std::int64_t count() const { return count_; }

 private:
  volatile std::int64_t count_ = 0;
};

}  // namespace

void advance(float* values, std::int64_t rounds, float one) {
  const Floats by = Floats{} + one, step = Floats{} + round_step;
  Floats x[chains];
  std::memcpy(x, values, sizeof x);
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int chain = 0; chain < chains; ++chain) x[chain] = x[chain] * by + step;
  }
  std::memcpy(values, x, sizeof x);
}

Counted read_blocks(std::span<const std::uint32_t> words, std::int64_t begin, std::int64_t units) {
  constexpr std::int64_t sums = 4, words_of_vector = 4;
  Words sum[sums] = {};
  Counter counter;
  const std::uint32_t *const first = words.data(), *const last = first + words.size(),
                             *at = first + begin * words_of_block;
  for (std::int64_t unit = 0; unit < units; ++unit) {
#pragma GCC unroll 16
    for (std::int64_t vector = 0; vector < words_of_block / words_of_vector; ++vector) {
      Words loaded;
      std::memcpy(&loaded, at + vector * words_of_vector, sizeof loaded);
      sum[vector % sums] += loaded;
    }
    counter.add_one();
    at += words_of_block;
    if (at == last) at = first;
  }
  std::uint32_t total = 0;
  for (const Words& each : sum)
    for (int lane = 0; lane < words_of_vector; ++lane) total += each[lane];
  return {total, counter.count()};
}

Counted gather_words(std::span<const std::uint32_t> words, std::uint64_t seed, std::int64_t begin,
                     std::int64_t units) {
  const std::uint64_t mask = words.size() - 1;
  Counter counter;
  std::uint32_t total = 0;
  for (std::int64_t unit = begin; unit < begin + units; ++unit) {
#pragma GCC unroll 8
    for (std::int64_t load = 0; load < loads_of_unit; ++load)
      total +=
          words[device::random_bits(seed, static_cast<std::uint64_t>(unit * loads_of_unit + load)) &
                mask];
    counter.add_one();
  }
  return {total, counter.count()};
}

}  // namespace ridgeline::worker::calibration
