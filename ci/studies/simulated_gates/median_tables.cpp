#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ci/studies/simulated_gates/tables.hpp"

namespace ridgeline::analysis::study {
namespace {

using record::Verdict;

std::int64_t ended_with(const std::vector<CaseEnd>& cases, Verdict verdict) {
  return std::ranges::count_if(
      cases, [&](const CaseEnd& each) { return each.decision.verdict == verdict; });
}

double mean_rounds(const std::vector<CaseEnd>& cases) {
  double sum = 0;
  for (const CaseEnd& each : cases) sum += each.rounds;
  return sum / static_cast<double>(cases.size());
}

/// Those whose interval holds the truth.
std::int64_t covering(const std::vector<CaseEnd>& cases, double truth) {
  return std::ranges::count_if(cases, [&](const CaseEnd& each) {
    const stats::Interval& interval = each.decision.interval;
    return interval.low <= truth && truth <= interval.high;
  });
}

}  // namespace

std::string verdicts(Study& study) {
  std::string text;
  const std::size_t trials = study.options().trials;
  add(text,
      "**Verdicts by the true slow-down,** which every process of the candidate has: one such case "
      "among 99 without a change, in {} trials of each kind. Interval: how often the interval of "
      "95% at the end held the truth. The last column is of gates of the same pairs that look at "
      "medians alone.\n\n",
      trials);
  add(text,
      "| noise | slow-down over delta | regression | tail | pass | undecided | interval | mean "
      "rounds | regression, medians alone |\n|---|---|---|---|---|---|---|---|---|\n");
  for (const Noise& noise : study.noises()) {
    const Setting setting = setting_of(noise);
    for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0}) {
      Plant slower{.name = fmt::format("slower {}", part)};
      slower.shift = std::log1p(part * setting.rule.delta);
      const auto cases = study.planted(noise, slower, setting, trials);
      const auto alone = study.planted(noise, slower, setting_of(noise, 0), trials);
      add(text, "| {} | {:g} | {} | {} | {} | {} | {} | {:.1f} | {} |\n", noise.name, part,
          rate(ended_with(cases, Verdict::regression), trials),
          rate(ended_with(cases, Verdict::tail), trials),
          part == 1 ? share(ended_with(cases, Verdict::pass), trials)
                    : rate(ended_with(cases, Verdict::pass), trials),
          rate(ended_with(cases, Verdict::undecided), trials),
          rate(covering(cases, slower.shift), trials), mean_rounds(cases),
          rate(ended_with(alone, Verdict::regression), trials));
    }
  }
  return text;
}

std::string drops(Study& study) {
  std::string text;
  const std::size_t trials = study.options().trials;
  add(text,
      "**Disturbed processes,** which are otherwise as fast as the others: one such case among 99 "
      "without a change, in {} trials of each kind.\n\n",
      trials);
  add(text,
      "| noise | disturbed of the candidate | of the baseline | pass | found as a tail | undecided "
      "| mean rounds |\n|---|---|---|---|---|---|---|\n");
  for (const Noise& noise : {synthetic_noises()[0], synthetic_noises()[1]}) {
    for (const auto& [candidate, baseline] : std::vector<std::pair<double, double>>{
             {0.1, 0}, {0.2, 0}, {0.3, 0}, {0.43, 0}, {0, 0.43}, {0.05, 0.05}, {0.2, 0.2}}) {
      Plant plant{.name = fmt::format("drops {} {}", candidate, baseline)};
      plant.drops = candidate;
      plant.baseline_drops = baseline;
      const auto cases = study.planted(noise, plant, setting_of(noise), trials);
      add(text, "| {} | {:g}% | {:g}% | {} | {} | {} | {:.1f} |\n", noise.name, 100 * candidate,
          100 * baseline, share(ended_with(cases, Verdict::pass), trials),
          share(ended_with(cases, Verdict::tail), trials),
          rate(ended_with(cases, Verdict::undecided), trials), mean_rounds(cases));
    }
  }
  return text;
}

}  // namespace ridgeline::analysis::study
