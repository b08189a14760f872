#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/analysis/gate_plan.hpp"
#include "harness/analysis/paired_times.hpp"
#include "harness/base/error.hpp"
#include "harness/gate/forecast.hpp"
#include "harness/gate/paired_case.hpp"
#include "harness/record/gate.hpp"
#include "harness/record/run.hpp"
#include "harness/run/profile.hpp"
#include "harness/run/selection.hpp"
#include "harness/store/store.hpp"

namespace ridgeline::gate {

/// One case of a gate: what each side measures for it, and the rule it is judged by.
struct GateCase : Sides<run::Selected> {
  analysis::CaseRule rule;
  bool same_code = false;      // both sides execute the same, and it is measured all the same
  bool counts_differ = false;  // small problems of its variant count otherwise: counted_first.hpp
};

/// A pair with what its samples say beside their medians.
struct MeasuredPair {
  record::Pair pair;
  analysis::PairShape shape;
  double pair_s = 0;  // that both sides took for it; 0: not known yet
};

/// All that is decided before anything is measured.
struct GateSetup {
  record::Gate gate;
  record::Run baseline_run, candidate_run;  // `gate` set in both
  record::Device device;
  analysis::GatePlan plan;
  run::Sampling sampling;     // of one side of one round
  double sampling_s = 0.1;    // wall time of one side of one round; some times as long where little
                              // else would do
  double energy_s = 0;        // of executing a case for its energy, in one round
  double budget_s = 0;        // of the whole gate
  bool spread = false;        // over all cases, even when the budget then decides none
  double case_timeout_s = 0;  // of one case in one process, preparing included
  std::vector<GateCase> cases;
  std::vector<record::CaseVerdict> settled;  // known without measuring: missing, ...
  std::vector<MeasuredPair> pairs;           // measured before an interruption
};

/// How far a gate is.
struct GateProgress {
  int round = 0, rounds = 0;  // 0-based; the most there can be, 0 where there are none
  int undecided = 0, cases = 0;
  std::string case_name;  // being measured
  double left_s = 0;      // of the budget
};

struct GateObserver {
  std::function<void(const GateProgress&)> tick;  // when a case starts, and a few times a second
  /// A case has its verdict, which is stored.
  std::function<void(const GateProgress&, const record::CaseVerdict&)> decided;
  /// After the first round; again when the second shows other costs, and after the pilot, which
  /// knows what can be found.
  std::function<void(const GateForecast&)> forecast;
  /// After the pilot: the verdicts as they stand, with the smallest effect that each can still
  /// find.
  std::function<void(const GateProgress&, const std::vector<record::CaseVerdict>&)> pilot;
  /// What people must know of how it is measured.
  std::function<void(const std::string&)> note;
};

/// A worker is another one than when the gate started, which then has failed for good.
struct WorkerChanged : Error {
  using Error::Error;
};

/// Measures in rounds until every case is decided, the plan ends or the budget is spent; on a
/// device that gives counts, counts every case once. Every measurement, pair and verdict is stored
/// at once. The gate of `setup` gets the status, finished or interrupted, and the time that the
/// store has; throws WorkerChanged and store Errors.
void measure_gate(GateSetup& setup, store::Store& store, const GateObserver& observer);

}  // namespace ridgeline::gate
