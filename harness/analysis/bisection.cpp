#include "harness/analysis/bisection.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include "harness/analysis/gate_decision.hpp"
#include "harness/base/error.hpp"
#include "harness/stats/signed_rank.hpp"

namespace ridgeline::analysis {

CommitsLeft::CommitsLeft(const std::vector<std::vector<std::size_t>>& parents)
    : lines_(parents.size(), std::vector<bool>(parents.size())),
      left_(parents.size(), true),
      untestable_(parents.size()) {
  require(!parents.empty() && parents.size() <= most_commits, "a search has a number of commits");
  for (std::size_t i = 0; i < parents.size(); ++i) {
    lines_[i][i] = true;
    for (const std::size_t parent : parents[i]) {
      require(parent < i, "the parents of a commit come before it");
      for (std::size_t k = 0; k <= parent; ++k)
        if (lines_[parent][k]) lines_[i][k] = true;
    }
  }
  learn(parents.size() - 1, Tested::bad);
}

std::size_t CommitsLeft::common(std::size_t commit) const {
  std::size_t n = 0;
  for (std::size_t i = 0; i <= commit; ++i) n += left_[i] && lines_[commit][i] ? 1 : 0;
  return n;
}

std::optional<std::size_t> CommitsLeft::next() const {
  const std::size_t all = left().size();
  std::vector<std::pair<std::size_t, std::size_t>> halves;  // what the worse answer settles; commit
  for (std::size_t i = 0; i < left_.size(); ++i) {
    if (!left_[i] || untestable_[i]) continue;
    const std::size_t n = common(i);
    if (n < all) halves.emplace_back(std::min(n, all - n), i);
  }
  if (halves.empty()) return std::nullopt;
  std::ranges::sort(halves, [](const auto& one, const auto& other) {
    return one.first != other.first ? one.first > other.first : one.second < other.second;
  });
  // What does not build seldom stands alone.
  const std::size_t away = (std::size_t{1} << std::min<std::size_t>(in_a_row_, 20)) - 1;
  return halves[away % halves.size()].second;
}

void CommitsLeft::learn(std::size_t commit, Tested tested) {
  if (tested == Tested::open) return;
  in_a_row_ = tested == Tested::untestable ? in_a_row_ + 1 : 0;
  if (tested == Tested::untestable) {
    untestable_.at(commit) = true;
    return;
  }
  for (std::size_t i = 0; i < left_.size(); ++i)
    left_[i] = left_[i] && lines_.at(commit)[i] == (tested == Tested::bad);
}

std::vector<std::size_t> CommitsLeft::left() const {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < left_.size(); ++i)
    if (left_[i]) places.push_back(i);
  return places;
}

int planned_gates(std::size_t commits) {
  return 1 + static_cast<int>(std::bit_width(std::max<std::size_t>(commits, 1) - 1));
}

double error_share(double error, int gate, int planned) {
  require(gate >= 1 && planned >= 1, "gates are counted from 1");
  if (gate <= planned) return error / 2 / planned;
  const double beyond = gate - planned;
  return error / 2 / (beyond * (beyond + 1));  // 1/2 + 1/6 + 1/12 + ... = 1
}

Bisected bisect(
    const std::vector<std::vector<std::size_t>>& parents, const BisectionLimits& limits,
    const std::function<CommitAnswer(std::size_t commit, double risk, int attempt)>& ask) {
  CommitsLeft commits(parents);
  const int planned = planned_gates(parents.size());
  const int most = limits.most_gates > 0 ? limits.most_gates : 3 * planned;
  int gates = limits.gates;
  while (const std::optional<std::size_t> commit = commits.next()) {
    CommitAnswer answer;
    for (int attempt = 0; attempt < limits.attempts && answer.tested == Tested::open; ++attempt) {
      if (gates >= most) return {commits.left(), gates};
      answer = ask(*commit, error_share(limits.error, gates + 1, planned), attempt);
      if (answer.gated) ++gates;
    }
    commits.learn(*commit, answer.tested == Tested::open ? Tested::untestable : answer.tested);
  }
  return {commits.left(), gates};
}

double proven_slowdown(const GatePlan& plan, std::span<const PairedTimes> pairs, double risk) {
  const std::vector<double> ratios = differences(pairs);
  if (ratios.empty()) return -stats::unbounded;
  const auto look = std::ranges::lower_bound(plan.looks, std::ssize(ratios));
  const auto share = plan.alpha_share.begin() + (look - plan.looks.begin());
  const bool planned = look != plan.looks.end() && *look == std::ssize(ratios);
  // Between two looks the budget has ended, and with it all looks that were left.
  const double spent = planned ? *share : std::accumulate(share, plan.alpha_share.end(), 0.0);
  if (spent <= 0) return -stats::unbounded;
  return stats::signed_rank_interval(ratios, 1 - 2 * risk * spent).low;
}

double dividing_delta(double slowdown) { return std::expm1(slowdown * 2 / 3); }

}  // namespace ridgeline::analysis
