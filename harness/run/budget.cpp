#include "harness/run/budget.hpp"

#include <algorithm>
#include <utility>

#include "harness/base/error.hpp"

namespace ridgeline::run {
namespace {

constexpr double first_guess_s = 0.2;  // overhead of a case before any is known
constexpr double kept_back = 0.03;     // of what is left, for restarts and the end of the run
// Of an equal part of the whole budget: where the budget is too short for all, the first replicates
// are measured in earnest and the last ones not at all, instead of every one for nothing.
constexpr double least_share = 0.3;

}  // namespace

Budget::Budget(double seconds, std::function<double()> now_s)
    : seconds_(seconds), now_s_(std::move(now_s)), start_s_(now_s_()) {}

void Budget::expect(const std::string& name, double shares) {
  Expected& expected = cases_[name];
  ++expected.executions;
  expected.shares = shares;
  shares_ += shares;
  all_shares_ += shares;
}

void Budget::done(const std::string& name, double overhead) {
  Expected& expected = cases_.at(name);
  require(expected.executions > 0, "an execution that ends was expected");
  --expected.executions;
  shares_ -= expected.shares;
  if (overhead < 0) return;
  expected.overhead_s = overhead;
  overhead_sum_s_ += overhead;
  ++overheads_;
}

double Budget::left_s() const { return seconds_ - (now_s_() - start_s_); }

double Budget::overhead_s(const std::string& name) const {
  const double known = cases_.at(name).overhead_s;
  if (known >= 0) return known;
  return overheads_ > 0 ? overhead_sum_s_ / overheads_ : first_guess_s;
}

double Budget::sampling_s(const std::string& name) const {
  if (left_s() <= 0 || shares_ <= 0) return 0;
  double overhead = 0;
  for (const auto& [each, expected] : cases_) overhead += expected.executions * overhead_s(each);
  return cases_.at(name).shares * std::max(least_share * seconds_ / all_shares_,
                                           ((1 - kept_back) * left_s() - overhead) / shares_);
}

bool Budget::too_short_for(const std::string& name) const {
  const double known = cases_.at(name).overhead_s;
  return left_s() <= std::max(known, 0.0);
}

}  // namespace ridgeline::run
