#include "harness/analysis/beside_times.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::analysis {
namespace {

/// A metric as one side's processes say it.
struct Said {
  record::Metric metric;  // the latest unit and direction, and the median
  bool steady = false;    // two processes or more, and all say the same
};

std::map<std::string, Said> said_by(std::span<const record::Metric> metrics) {
  std::map<std::string, std::vector<double>> values;
  std::map<std::string, Said> said;
  for (const record::Metric& each : metrics) {
    values[each.name].push_back(each.value);
    said[each.name].metric = each;
  }
  for (auto& [name, of] : said) {
    const std::vector<double>& all = values[name];
    of.metric.value = stats::median(all);
    of.steady = all.size() >= 2 && std::ranges::count(all, all.front()) == std::ssize(all);
  }
  return said;
}

std::vector<record::Metric> metrics_of(const std::map<std::string, Said>& said) {
  std::vector<record::Metric> metrics;
  for (const auto& [name, of] : said) metrics.push_back(of.metric);
  return metrics;
}

}  // namespace

std::vector<BesideTimes> beside_times(std::span<const record::Metric> baseline,
                                      std::span<const record::Metric> candidate) {
  const auto before = said_by(baseline), after = said_by(candidate);
  const auto steady = [](const std::map<std::string, Said>& said, const std::string& name) {
    const auto found = said.find(name);
    return found == said.end() || found->second.steady;
  };
  std::vector<BesideTimes> all;
  for (MetricChange& each : compare_metrics(metrics_of(before), metrics_of(after), CaseRule{})) {
    each.allowed = 0;
    const bool exact = steady(before, each.name) && steady(after, each.name);
    all.push_back({std::move(each), exact});
  }
  return all;
}

std::string beside_words(std::span<const BesideTimes> all) {
  std::vector<std::string> words;
  for (const BesideTimes& each : all) {
    const MetricChange& metric = each.metric;
    const std::string name = printable(metric.name, 100);
    if (each.exact && each.changed() && !(metric.baseline && metric.candidate)) {
      const double value = metric.baseline ? *metric.baseline : metric.candidate.value_or(0);
      words.push_back(fmt::format("{} {} (the {} alone)", name, units::counts(value, value).first,
                                  metric.baseline ? "baseline" : "candidate"));
    } else if (each.exact && metric.change == Change::one_side) {
      words.push_back(name + " (in another unit or direction)");
    } else if (each.changed() && metric.change != Change::one_side &&
               (each.exact || metric.name == "energy") && metric.baseline && metric.candidate) {
      const auto [before, after] = units::counts(*metric.baseline, *metric.candidate);
      words.push_back(fmt::format("{} {} -> {}{}", name, before, after,
                                  metric.unit == "1" ? "" : " " + printable(metric.unit, 60)));
    }
  }
  return fmt::to_string(fmt::join(words, ", "));
}

}  // namespace ridgeline::analysis
