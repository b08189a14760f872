#include "ci/studies/simulated_gates/noise.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>

#include "harness/base/error.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::analysis::study {
namespace {

constexpr std::size_t longest_case = 60;  // rounds

}  // namespace

Random::Random(std::uint64_t what, std::uint64_t which) {
  std::seed_seq seed{what, which};
  engine_.seed(seed);
}

double Random::normal() {
  return std::sqrt(-2 * std::log1p(-uniform())) * std::cos(2 * std::numbers::pi * uniform());
}

double Random::exponential() { return -std::log1p(-uniform()); }

const std::vector<Noise>& synthetic_noises() {
  static const std::vector<Noise> noises = {
      {.name = "GPU, 0.1%"},
      {.name = "GPU, 0.3%", .between = 0.003},
      {.name = "GPU, 1% outliers", .slow_samples = 0.01},
      {.name = "two modes of processes", .between = 0.003, .second_mode = 0.5},
      {.name = "two modes of launches", .between = 0.003, .second_mode_of_samples = 0.3},
      {.name = "bursts",
       .device = DeviceKind::cpu,
       .between = 0.003,
       .slow_samples = 0.05,
       .extra = 0.2,
       .slow_processes = 0.15},
      {.name = "Student's t, 3 degrees",
       .device = DeviceKind::cpu,
       .between = 0.01 / std::numbers::sqrt3,
       .heavy = true},
  };
  return noises;
}

const std::vector<Plant>& planted_tails() {
  static const std::vector<Plant> plants = {
      {.name = "5% of launches x2", .samples = 0.05, .factor = 2},
      {.name = "10% of launches x2", .samples = 0.10, .factor = 2},
      {.name = "5% of launches x10", .samples = 0.05, .factor = 10},
      {.name = "10% of launches x10", .samples = 0.10, .factor = 10},
      {.name = "30% of processes +10%", .processes = 0.3, .by = 1.1},
      {.name = "30% of processes +3%", .processes = 0.3, .by = 1.03},
      {.name = "20% of processes +10%", .processes = 0.2, .by = 1.1},
      {.name = "30% of launches +20%", .samples = 0.3, .factor = 1.2},
      {.name = "20% of launches +10%", .samples = 0.2, .factor = 1.1},
      {.name = "1% of launches x10", .samples = 0.01, .factor = 10},
  };
  return plants;
}

Rounds::Rounds(const Noise& noise, const Plant& plant, std::size_t samples, Random& random)
    : noise_(noise), plant_(plant), samples_(samples), random_(random) {
  if (noise.measured != nullptr) at_ = random.below(noise.measured->pairs - longest_case + 1);
}

std::vector<double> Rounds::process() {
  double level = noise_.between * random_.normal();
  if (noise_.heavy) {
    double squares = 0;
    for (int i = 0; i < 3; ++i) squares += std::pow(random_.normal(), 2);
    level /= std::sqrt(squares / 3);
  }
  if (random_.chance(noise_.second_mode)) level += 0.125;
  if (random_.chance(noise_.slow_processes)) level += 0.2 * random_.exponential();
  std::vector<double> logarithms(samples_);
  for (double& each : logarithms) {
    each = level + noise_.within * random_.normal();
    if (random_.chance(noise_.second_mode_of_samples)) each += 0.125;
    if (random_.chance(noise_.slow_samples)) each += noise_.extra * random_.exponential();
  }
  return logarithms;
}

void Rounds::plant(std::vector<double>& logarithms) {
  const double level = plant_.shift + (random_.chance(plant_.processes) ? std::log(plant_.by) : 0);
  for (double& each : logarithms)
    each += level + (random_.chance(plant_.samples) ? std::log(plant_.factor) : 0);
}

PairedTimes Rounds::next() {
  std::vector<double> baseline, candidate;
  if (noise_.measured != nullptr) {
    const MeasuredPairs& all = *noise_.measured;
    const auto of = [&](const std::vector<double>& side) {
      const auto first = side.begin() + static_cast<std::ptrdiff_t>(at_ * all.samples);
      return std::vector(first,
                         first + static_cast<std::ptrdiff_t>(std::min(samples_, all.samples)));
    };
    baseline = of(all.baseline);
    candidate = of(all.candidate);
    if (random_.chance(0.5)) std::swap(baseline, candidate);
    ++at_;
  } else {
    baseline = process();
    candidate = process();
  }
  plant(candidate);
  for (std::vector<double>* side : {&baseline, &candidate})
    for (double& each : *side) each = 1e6 * std::exp(each);
  PairedTimes pair;
  pair.baseline_ns = stats::median(baseline);
  pair.candidate_ns = stats::median(candidate);
  pair.round = round_++;
  const bool of_baseline = random_.chance(plant_.baseline_drops),
             of_candidate = random_.chance(plant_.drops);
  pair.disturbed = of_baseline && of_candidate ? Disturbed::both
                   : of_baseline               ? Disturbed::baseline
                   : of_candidate              ? Disturbed::candidate
                                               : Disturbed::neither;
  pair.shape = shape_of(baseline, candidate);
  return pair;
}

std::vector<MeasuredPairs> read_pairs(const std::string& file) {
  std::ifstream in(file);
  std::vector<MeasuredPairs> sets;
  for (MeasuredPairs set; in >> set.pairs >> set.samples;) {
    for (std::vector<double>* side : {&set.baseline, &set.candidate}) {
      side->resize(set.pairs * set.samples);
      for (double& each : *side) in >> each;
    }
    require(in && set.pairs >= longest_case && set.samples > 0,
            "a file of pairs has the length that it says, and 60 pairs or more");
    sets.push_back(set);
  }
  require(!sets.empty() && in.eof(), "a file of pairs holds numbers alone");
  return sets;
}

}  // namespace ridgeline::analysis::study
