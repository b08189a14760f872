#include "ci/studies/simulated_gates/noise.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::analysis::study {
namespace {

constexpr std::size_t longest_case = 60;     // rounds
constexpr std::size_t most_pairs = 1000000;  // of a file; likewise samples of a process

double located(const std::vector<double>& samples, Location location) {
  return location == Location::median ? stats::median(samples) : stats::quantile(samples, 0.25);
}

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

const Noise& launch_bound() {
  static const Noise noise{.name = "bound by launches, 5%", .between = 0.05};
  return noise;
}

std::string_view to_string(Location location) {
  return location == Location::median ? "median" : "lower quartile";
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
      {.name = "slow one of two modes +20%", .slow_mode = 1.2},
  };
  return plants;
}

Rounds::Rounds(const Noise& noise, const Plant& plant, std::size_t samples, Random& random,
               Location location)
    : noise_(noise), plant_(plant), samples_(samples), random_(random), location_(location) {
  if (noise.measured != nullptr) at_ = random.below(noise.measured->pairs - longest_case + 1);
}

std::vector<double> Rounds::process(double slow_mode) {
  const double second_mode = 0.125 + std::log(slow_mode);
  double level = noise_.between * random_.normal();
  if (noise_.heavy) {
    double squares = 0;
    for (int i = 0; i < 3; ++i) squares += std::pow(random_.normal(), 2);
    level /= std::sqrt(squares / 3);
  }
  if (random_.chance(noise_.second_mode)) level += second_mode;
  if (random_.chance(noise_.slow_processes)) level += 0.2 * random_.exponential();
  std::vector<double> logarithms(samples_);
  for (double& each : logarithms) {
    each = level + noise_.within * random_.normal();
    if (random_.chance(noise_.second_mode_of_samples)) each += second_mode;
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
    baseline = process(1);
    candidate = process(plant_.slow_mode);
  }
  plant(candidate);
  for (std::vector<double>* side : {&baseline, &candidate})
    for (double& each : *side) each = 1e6 * std::exp(each);
  PairedTimes pair;
  pair.baseline_ns = located(baseline, location_);
  pair.candidate_ns = located(candidate, location_);
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
  const auto another = [&] { return (in >> std::ws).peek() != std::ifstream::traits_type::eof(); };
  while (another()) {
    MeasuredPairs set;
    set.name = fmt::format("measured, set {}", sets.size() + 1);
    if (in.peek() == '#') {
      std::string device;
      in.get();
      in >> device >> std::ws;
      std::getline(in, set.name);
      const std::optional<DeviceKind> kind = parse<DeviceKind>(device);
      require(kind == DeviceKind::cpu || kind == DeviceKind::cuda,
              "measured pairs are of a cpu or of cuda");
      set.device = *kind;
    }
    in >> set.pairs >> set.samples;
    require(in && set.pairs >= longest_case && set.samples > 0 && set.pairs < most_pairs &&
                set.samples < most_pairs,
            "a file of pairs says how many they are: 60 or more, of a sample or more");
    for (std::vector<double>* side : {&set.baseline, &set.candidate}) {
      side->resize(set.pairs * set.samples);
      for (double& each : *side) in >> each;
    }
    require(!in.fail(), "a file of pairs has the length that it says");
    sets.push_back(std::move(set));
  }
  require(!sets.empty(), "a file of pairs has some");
  return sets;
}

}  // namespace ridgeline::analysis::study
