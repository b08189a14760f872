#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>

#include "harness/gate/expected_folder.hpp"
#include "harness/gate/gate.hpp"
#include "harness/gate/paired_case.hpp"
#include "harness/process/worker_process.hpp"
#include "harness/run/measure_case.hpp"

namespace ridgeline::gate {

/// What the two processes of a pair run.
using SideWorkers = Sides<run::Team>;
inline SideWorkers workers_of(const GateCase& gate_case) {
  return {run::team_of(gate_case.baseline), run::team_of(gate_case.candidate)};
}

/// The two processes that measure side by side in a gate, fresh in each of its rounds. Each is
/// stored as a process of its side's run.
class SideProcesses {
 public:
  /// Keeps references. `tick` is called a few times a second while one waits for a worker.
  SideProcesses(const GateSetup& setup, store::Store& store, std::function<void()> tick);

  /// The round of those that are started from now on.
  void begin_round(int round);
  int round() const { return round_; }
  /// Of the inputs of a pair that is ready.
  std::uint64_t seed() const { return seed_; }

  /// Makes sure that a fresh pair, or one that measured before, runs. Where the workers of both
  /// sides keep what oracles expect, rounds share inputs: see docs/measurement.md. When a worker
  /// cannot be started, that is the case's result, and false. Throws WorkerChanged.
  bool ready(const SideWorkers& workers, const GateCase& gate_case,
             Sides<std::optional<run::CaseResult>>& failures);
  /// Whether a pair runs, for which nothing has to be started.
  bool running() const;
  /// Wall time that the latest ready() took, to start what did not run.
  double starting_s() const { return starting_s_; }
  /// Of a pair that is ready.
  process::WorkerProcess& operator[](Side side) { return *processes_[side]; }
  /// In the store, of the one that runs, or of the latest.
  std::int64_t id(const SideWorkers& workers, Side side);

  /// Says bye to both.
  void end();
  void kill() { processes_ = {}; }
  void kill(Side side) { processes_[side].reset(); }

 private:
  bool begin(const SideWorkers& workers, const GateCase& gate_case,
             Sides<std::optional<run::CaseResult>>& failures);
  void attempt(const GateCase& gate_case, Side side,
               Sides<std::optional<run::CaseResult>>& failures,
               const std::function<void()>& action);
  void greet(const SideWorkers& workers, Side side);
  /// Has both make the device ready, at the same time.
  void open_device(const SideWorkers& workers, const GateCase& gate_case,
                   Sides<std::optional<run::CaseResult>>& failures);
  std::int64_t add_process(Side side, const record::Build& build, const record::Facts& hosts = {});
  bool keeps_expected(const SideWorkers& workers) const;

  const GateSetup& setup_;
  store::Store& store_;
  const std::function<void()> tick_;
  int round_ = 0;
  std::uint64_t seed_ = 0;
  double starting_s_ = 0;
  Sides<std::unique_ptr<process::WorkerProcess>> processes_;
  Sides<std::int64_t> ids_;
  std::set<const run::Worker*> started_;  // workers that have run before
  ExpectedFolder expected_;
};

}  // namespace ridgeline::gate
