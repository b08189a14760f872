#include "harness/present/turning_environment.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/told_subject.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::present {
namespace {

using analysis::NightlyTimes;

bool take_turns(const NightlyTimes& a, const NightlyTimes& b) {
  return a.nights.front() <= b.nights.back() && b.nights.front() <= a.nights.back();
}

}  // namespace

std::string turning_environment(const analysis::DeviceTrend& trend, std::string_view case_name,
                                const std::string& environment) {
  constexpr std::size_t most = 3;  // facts; more tell no reader which it is
  const analysis::NightlyCase* its = analysis::case_of(trend, case_name);
  if (!its) return {};
  const auto own = std::ranges::find(its->times, environment, &NightlyTimes::environment);
  if (own == its->times.end()) return {};
  std::set<std::string> others;
  for (const NightlyTimes& other : its->times)
    if (other.environment != environment && take_turns(*own, other))
      others.insert(other.environment);
  if (others.empty()) return {};
  const record::Facts* facts = nullptr;
  std::vector<const record::Facts*> others_facts;
  for (const store::StoredRun& run : trend.nights.runs) {
    const record::Facts& comparable = run.environment.comparable;
    if (run.environment.hash == environment)
      facts = &comparable;
    else if (others.erase(run.environment.hash) > 0)
      others_facts.push_back(&comparable);
  }
  std::vector<std::string> words;
  const auto is_other = [&](const std::string& key, const std::string& value) {
    return std::ranges::any_of(others_facts, [&](const record::Facts* other) {
      const auto found = other->find(key);
      return found == other->end() || found->second != value;
    });
  };
  for (const auto& [key, value] : facts ? *facts : record::Facts())
    if (words.size() < most && is_other(key, value))
      words.push_back(fmt::format("{} {}", printable(key, 60), printable(value, 60)));
  return fmt::to_string(fmt::join(words, ", "));
}

}  // namespace ridgeline::present
