#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace ridgeline::run {

/// Shares what is left of a run's wall clock among the executions of cases that are left. Preparing
/// and verifying take what they take, which earlier replicates have shown; the rest is for
/// sampling, in parts that follow the shares of the cases. What an execution does not use falls to
/// those after it.
class Budget {
 public:
  /// `now_s` is a steady clock in seconds.
  Budget(double seconds, std::function<double()> now_s);

  /// One more execution of `name` is to come, each of which gets so many shares.
  void expect(const std::string& name, double shares = 1);
  /// An execution of `name` has ended or will never come. `overhead_s` is what it took beside
  /// sampling; unknown when negative.
  void done(const std::string& name, double overhead_s);

  double left_s() const;
  /// Time to sample for in the execution of `name` that starts now; 0 when nothing is left.
  double sampling_s(const std::string& name) const;
  /// Whether the next execution of `name` cannot even be prepared in what is left.
  bool too_short_for(const std::string& name) const;

 private:
  double overhead_s(const std::string& name) const;

  struct Expected {
    int executions = 0;
    double overhead_s = -1, shares = 1;
  };
  double seconds_;
  std::function<double()> now_s_;
  double start_s_;
  std::map<std::string, Expected> cases_;
  double shares_ = 0, all_shares_ = 0;  // of executions to come, and from the start
  double overhead_sum_s_ = 0;
  int overheads_ = 0;
};

}  // namespace ridgeline::run
