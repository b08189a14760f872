#include <algorithm>
#include <cmath>
#include <map>

#include "harness/analysis/comparison.hpp"
#include "harness/stats/ratio_interval.hpp"

namespace ridgeline::analysis {
namespace {

/// Sums of log times by replicate, and of how many cases.
using Sums = std::map<int, std::pair<double, int>>;

void add(Sums& sums, const SideOfCase& side, double work) {
  for (std::size_t i = 0; i < side.medians_ns.size(); ++i) {
    auto& [sum, cases] = sums[side.replicates[i]];
    sum += std::log(side.medians_ns[i] / work);
    ++cases;
  }
}

/// Of the replicates that have all the cases, as times.
std::vector<double> means(const Sums& sums, int cases) {
  std::vector<double> found;
  for (const auto& [replicate, sum] : sums)
    if (sum.second == cases) found.push_back(std::exp(sum.first / cases));
  return found;
}

struct Suite {
  ComparedSuite result;
  Sums a, b;
  double log_sum = 0, roofs_log_sum = 0;
};

}  // namespace

std::vector<ComparedSuite> compare_suites(const std::vector<ComparedCase>& cases) {
  std::map<std::string, Suite> suites;
  for (const ComparedCase& one : cases) {
    if (!one.ratio || one.measures_roof) continue;
    Suite& suite = suites[one.id.suite];
    if (one.a.disturbed || one.b.disturbed) {
      ++suite.result.disturbed;
      continue;
    }
    ComparedSuite& result = suite.result;
    result.lowest = result.cases == 0 ? *one.ratio : std::min(result.lowest, *one.ratio);
    result.highest = std::max(result.highest, *one.ratio);
    ++result.cases;
    result.unstable +=
        one.a.outcome == record::Outcome::unstable || one.b.outcome == record::Outcome::unstable;
    suite.log_sum += std::log(*one.ratio);
    if (one.roofs_ratio) {
      suite.roofs_log_sum += std::log(*one.roofs_ratio);
      ++result.roofs_cases;
    }
    add(suite.a, one.a, 1);
    add(suite.b, one.b, one.work);
  }
  std::vector<ComparedSuite> found;
  for (auto& [name, suite] : suites) {
    ComparedSuite& result = suite.result;
    if (result.cases == 0) continue;
    result.suite = name;
    result.mean = std::exp(suite.log_sum / result.cases);
    if (result.roofs_cases > 0)
      result.roofs_ratio = std::exp(suite.roofs_log_sum / result.roofs_cases);
    const std::vector<double> a = means(suite.a, result.cases), b = means(suite.b, result.cases);
    result.a_processes = static_cast<int>(a.size());
    result.b_processes = static_cast<int>(b.size());
    result.interval = stats::ratio_interval(a, b, result.mean);
    found.push_back(result);
  }
  return found;
}

}  // namespace ridgeline::analysis
