#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "ci/studies/simulated_gates/tables.hpp"
#include "harness/base/in_parallel.hpp"
#include "harness/stats/distributions.hpp"

namespace ridgeline::analysis::study {
namespace {

constexpr std::size_t most_threads = 256;

}  // namespace

std::string share(std::int64_t part, std::size_t all) {
  const stats::Interval limits = stats::proportion_interval(part, static_cast<std::int64_t>(all));
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(all);
  return fmt::format("{:.1f}% [{:.1f}, {:.1f}]", percent, 100 * limits.low, 100 * limits.high);
}

std::string rate(std::int64_t part, std::size_t all) {
  return fmt::format("{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

std::uint64_t stream(const std::string& what) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : what) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

Study::Study(Options options) : options_(std::move(options)), noises_(synthetic_noises()) {
  if (!options_.noises.empty())
    std::erase_if(noises_, [&](const Noise& noise) {
      return std::ranges::find(options_.noises, noise.name) == options_.noises.end();
    });
  for (std::size_t i = 0; i < options_.measured.size(); ++i)
    noises_.push_back({.name = options_.measured[i].name,
                       .device = options_.measured[i].device,
                       .measured = &options_.measured[i]});
}

const Suites& Study::suites(const Noise& noise, double part_of_delta, const Setting& setting) {
  const std::string key = fmt::format("{} {} {}", noise.name, part_of_delta, setting.text());
  if (const auto known = suites_.find(key); known != suites_.end()) return known->second;
  Plant slower;
  slower.shift = part_of_delta * std::log1p(setting.rule.delta);
  std::vector<SuiteEnd> ends(options_.suites);
  in_parallel(ends.size(), most_threads, [&](std::size_t i) {
    // The same noise whatever the setting.
    Random random(stream(fmt::format("suites {} {}", noise.name, part_of_delta)), i);
    ends[i] = run_suite(setting, noise, slower, random);
  });
  Suites& all = suites_[key];
  all.count = ends.size();
  const auto n = static_cast<double>(ends.size());
  for (const SuiteEnd& end : ends) {
    all.false_tails += end.tails > 0 ? 1 : 0;
    all.false_regressions += end.regressions > 0 ? 1 : 0;
    all.suspects += end.suspects / n / cases_of_a_suite;
    all.passes += end.passes / n / cases_of_a_suite;
    all.rounds += end.rounds / n;
    all.suspects_of_each.push_back(end.suspects);
  }
  return all;
}

std::vector<CaseEnd> Study::planted(const Noise& noise, const Plant& plant, const Setting& setting,
                                    std::size_t trials) {
  const std::vector<int> others = setting.plan.screening_rounds > 0
                                      ? suites(noise, 0, setting).suspects_of_each
                                      : std::vector{0};
  std::vector<CaseEnd> made(trials);
  in_parallel(trials, most_threads, [&](std::size_t i) {
    Random random(stream(noise.name + plant.name), i);
    Random place(stream("places"), i);  // that the planted case takes: perhaps a suspect's
    made[i] =
        run_case(setting, noise, plant, without_one(others[i % others.size()], place), random);
  });
  return made;
}

}  // namespace ridgeline::analysis::study
