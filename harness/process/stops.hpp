#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "harness/process/clock.hpp"

/// Processes of a worker that somebody stopped: by a signal (SIGSTOP), or with a debugger.
namespace ridgeline::process {

/// For so long a process of several may stay stopped by a signal before it counts as stopped for
/// good. Whoever resumes it does so sooner, or stops all of them.
inline constexpr double longest_stop_s = 5;

/// Looks at processes again and again while they are waited for, at most ten times a second.
class Stops {
 public:
  /// `watched` run now: who is whose parent is looked up once.
  explicit Stops(std::vector<pid_t> watched = {}, double longest_s = longest_stop_s);

  void look();

  /// For how long any was stopped, as far as two looks in a row saw it: a program that was just
  /// resumed and has not run yet is seen once.
  double total_s() const { return total_s_; }
  /// Whether one was so at the last look.
  bool any() const { return any_; }
  /// The process that a signal has kept stopped for `longest_s` while others of them could run:
  /// "rank 1 (process 4711)". Empty without one. All of them are stopped by somebody who resumes
  /// them, whatever launcher or shell only waits for them meanwhile; and a debugger holds what its
  /// user looks at: neither is meant.
  std::string for_good() const;

 private:
  std::vector<pid_t> watched_;
  std::vector<pid_t> workers_;  // of these, those that are the parent of no other
  double longest_s_;
  double total_s_ = 0;
  Clock::time_point last_look_ = Clock::now();
  bool any_ = false;
  pid_t held_ = 0;  // by a signal, at all looks of the last `held_s_`; 0: none
  double held_s_ = 0;
};

}  // namespace ridgeline::process
