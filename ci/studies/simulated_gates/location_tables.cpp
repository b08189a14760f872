#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "ci/studies/simulated_gates/tables.hpp"

namespace ridgeline::analysis::study {
namespace {

constexpr double delta_of_cpu = 0.02;
const std::vector<double> slow_downs = {0.02, 0.0225, 0.025, 0.0275, 0.03};

/// With all samples that a process has.
Setting located_setting(const Noise& noise, Location location) {
  Setting setting = setting_of(noise);
  setting.rule.delta = delta_of_cpu;
  setting.location = location;
  if (noise.measured != nullptr) setting.samples = noise.measured->samples;
  return setting;
}

std::int64_t failing(const std::vector<CaseEnd>& cases) {
  return std::ranges::count_if(cases, [](const CaseEnd& each) {
    const record::Verdict verdict = each.decision.verdict;
    return verdict == record::Verdict::regression || verdict == record::Verdict::tail;
  });
}

}  // namespace

std::string locations(Study& study) {
  std::string text;
  const std::size_t suites = study.options().suites, trials = study.options().trials;
  add(text,
      "**What stands for the samples of a process:** their median, which gates take, or their "
      "lower quartile. A CPU's plan, delta 2%, the same pairs for both; {} suites of 100 cases "
      "without a change, and {} trials of each slow-down among 99 other cases. Found: a regression "
      "or a tail.\n\n| noise | a process stands by its | pass, no change | false regression suites "
      "| false tail suites | mean rounds, no change |",
      suites, trials);
  for (const double slow_down : slow_downs) add(text, " found, +{:g}% |", 100 * slow_down);
  add(text, "\n|---|---|---|---|---|---|");
  for (std::size_t i = 0; i < slow_downs.size(); ++i) add(text, "---|");
  for (const Noise& noise : study.noises()) {
    if (noise.device != DeviceKind::cpu) continue;
    for (const Location location : {Location::median, Location::lower_quartile}) {
      const Setting setting = located_setting(noise, location);
      const Suites& same = study.suites(noise, 0, setting);
      add(text, "\n| {} | {} | {:.1f}% | {} | {} | {:.1f} |", noise.name, to_string(location),
          100 * same.passes, share(same.false_regressions, same.count),
          share(same.false_tails, same.count), same.rounds);
      for (const double slow_down : slow_downs) {
        Plant slower{.name = fmt::format("location {}", slow_down)};
        slower.shift = std::log1p(slow_down);
        add(text, " {} |", rate(failing(study.planted(noise, slower, setting, trials)), trials));
      }
    }
  }
  add(text, "\n");
  return text;
}

}  // namespace ridgeline::analysis::study
