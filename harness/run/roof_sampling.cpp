#include "harness/run/roof_sampling.hpp"

#include <algorithm>

namespace ridgeline::run {

constexpr int most_samples = 1'000'000;  // of the protocol

Sampling sampling_of(const Sampling& profile, const record::Case& info) {
  Sampling sampling = profile;
  if (info.roof.empty()) return sampling;
  sampling.min_samples = std::min(2 * sampling.min_samples, most_samples);
  sampling.max_samples = std::min(2 * sampling.max_samples, most_samples);
  return sampling;
}

double shares_of(const record::Case& info) { return info.roof.empty() ? 1 : 4; }

}  // namespace ridgeline::run
