#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/process/worker_process.hpp"
#include "harness/protocol/messages.hpp"
#include "harness/record/measurement.hpp"
#include "harness/run/profile.hpp"
#include "harness/run/selection.hpp"

namespace ridgeline::run {

/// What one execution of a case may use.
struct CaseLimits {
  Sampling sampling;
  double sampling_s = 0;  // to sample for
  double timeout_s = 0;   // of the whole case
  double run_left_s = 0;  // of the run's budget
  double settle_s = 0;    // to bring the device's clocks and power into a steady state before
};

struct CaseResult {
  record::Measurement measurement;
  bool worker_usable = true;   // false when the next case needs a fresh process
  double sampling_s = 0;       // wall time between asking for samples and having them
  bool lacks_memory = false;   // it could not be prepared, perhaps because memory did not suffice
  bool out_of_budget = false;  // a timeout because of the run's budget, not of the case's own limit
  double once_s = 0;           // at most, of what no later execution of the case needs: settling,
                               // energy
  double paused_s = 0;  // for which this machine, or the worker alone, stood still meanwhile;
                        // of a worker that is stopped for good, for the machine alone
};

/// What another execution of the case will take beside sampling; negative when that cannot be told.
inline double overhead_s(const CaseResult& result) {
  return result.sampling_s > 0
             ? result.measurement.total_ns / 1e9 - result.sampling_s - result.once_s
             : -1;
}

/// One execution of a case by a running worker, step by step, so that two of them can take turns.
/// Whatever goes wrong with the worker becomes the measurement's outcome and reason, and the steps
/// after that do nothing. Limits are of the time that the steps take, not of what lies between
/// them. Throws Interrupted alone.
class CaseExecution {
 public:
  /// Keeps references. `layout` as in protocol::Prepare.
  CaseExecution(process::WorkerProcess& worker, const Selected& selected, const std::string& device,
                std::uint64_t seed, std::uint64_t layout, const CaseLimits& limits);

  /// Whether it is prepared: sampled next, unless it was counted, and then finished.
  bool prepare();
  /// Does nothing to a case that was counted.
  void sample();
  void finish();
  /// How it ended; finish() comes before, unless a step has failed. Samples that span a pause of
  /// the machine or of the worker are invalid_environment.
  CaseResult result() const;

 private:
  template <class Step>
  void perform(const char* stage, Step step);
  double left_s() const;
  /// In which all that was sampled must have been executed.
  double waited_s() const;
  bool times_are_scripted() const;
  /// Throws WorkerLost when the samples so far cannot have been taken in the time waited for them.
  void refuse_impossible(std::int64_t executions_per_sample) const;
  /// Makes what is right and stable unstable when its times look invented.
  void doubt(record::Measurement& measurement) const;

  process::WorkerProcess& worker_;
  const Selected& selected_;
  const CaseLimits limits_;
  protocol::Prepare request_;
  CaseResult result_;
  bool ended_ = false, counted_ = false;
  bool ended_early_ = false;        // before its deadline: a process of the worker will not go on
  std::vector<double> samples_ns_;  // that the worker has answered with, as it must finish
  double spent_s_ = 0;
  const double paused_before_s_ = process::paused_s();
  const double stopped_before_s_ = worker_.stopped_s();
};

/// All steps at once.
CaseResult measure_case(process::WorkerProcess& worker, const Selected& selected,
                        const std::string& device, std::uint64_t seed, const CaseLimits& limits);

/// A measurement without samples.
record::Measurement without_samples(const Selected& selected, record::Outcome outcome,
                                    const std::string& reason);

/// Starts a team; the parameters are those of WorkerProcess.
std::unique_ptr<process::WorkerProcess> start(const Team& team, std::function<void()> tick,
                                              const process::Variables& environment = {});

/// What a case comes to whose team could not be started. `before`: this run or gate has started its
/// worker before.
CaseResult not_started(const Selected& selected, bool before, const std::string& reason);
/// The same, of a team that was lost after `waited_s` while it started: a failure of the case.
CaseResult not_started(const Selected& selected, const process::WorkerLost& lost, double waited_s);

/// How long a team may take to start: ranks that never meet cost no more than the case that waits
/// for them, but on a busy machine mpirun alone takes seconds.
double start_patience_s(const Team& team, double case_timeout_s);

}  // namespace ridgeline::run
