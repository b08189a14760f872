#include "harness/gate/admission.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>

#include <fmt/core.h>

#include "harness/analysis/gate_power.hpp"
#include "harness/gate/side_processes.hpp"

namespace ridgeline::gate {
namespace {

constexpr int beyond_least = 4;  // with fewer, only huge and steady slow-downs are found

}  // namespace

int least_rounds(const GateSetup& setup) {
  double alpha = setup.cases.empty() ? setup.gate.alpha : 0;
  for (const GateCase& each : setup.cases) alpha = std::max(alpha, each.rule.alpha);
  return analysis::least_pairs(alpha / std::max(setup.gate.cases, 1));
}

int rounds_to_say_anything(const GateSetup& setup) {
  const std::vector<double>& levels = setup.plan.pass_level;
  return std::min(least_rounds(setup),
                  analysis::least_pairs(std::accumulate(levels.begin(), levels.end(), 0.0)));
}

int rounds_to_decide(const GateSetup& setup) {
  return std::max(least_rounds(setup) + beyond_least, setup.plan.screening_rounds);
}

double needed_s(std::span<const Demand> demands, int rounds) {
  double sum_s = 0;
  for (const Demand& each : demands)
    sum_s += each.pair_s * std::max(std::max(rounds, each.least) - each.rounds, 1);
  return sum_s;
}

std::vector<std::size_t> by_importance(const std::vector<GateCase>& cases) {
  std::vector<SideWorkers> teams;  // in the order of their first case
  std::map<std::string, int> seen;
  std::vector<std::tuple<bool, bool, std::ptrdiff_t, int>> keys;
  for (const GateCase& each : cases) {
    const SideWorkers workers = workers_of(each);
    const auto team = std::ranges::find(teams, workers);
    const auto place = team - teams.begin();
    if (team == teams.end()) teams.push_back(workers);
    const record::CaseId& id = each.candidate.info.id;
    int& before = seen[fmt::format("{}/{}/{}/{}", id.suite, id.variant, id.dtype, each.same_code)];
    keys.emplace_back(each.same_code, !each.counts_differ, place, before++);
  }
  std::vector<std::size_t> order(cases.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t index) { return keys[index]; });
  return order;
}

}  // namespace ridgeline::gate
