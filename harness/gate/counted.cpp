#include <algorithm>
#include <iterator>
#include <limits>

#include "harness/analysis/count_decision.hpp"
#include "harness/gate/case_verdict.hpp"
#include "harness/gate/course.hpp"
#include "harness/gate/side_processes.hpp"
#include "harness/process/interrupt.hpp"
#include "harness/store/write_gate.hpp"

namespace ridgeline::gate {
namespace {

using record::Verdict;

class CountedGate {
 public:
  CountedGate(const GateSetup& setup, store::Store& store, const GateObserver& observer)
      : setup_(setup), store_(store), observer_(observer), processes_(setup, store, [this] {
          if (observer_.tick) observer_.tick(progress());
        }) {
    for (const record::CaseVerdict& verdict : setup.settled)
      store::add(store, setup.gate.id, verdict);
    for (const GateCase& each : setup.cases)
      if (std::ranges::find(setup.settled, each.candidate.name, &record::CaseVerdict::case_name) ==
          setup.settled.end())
        left_.push_back(&each);
    processes_.begin_round(0);
  }

  void measure() {
    // Cases of the same workers together: they share the processes.
    while (!left_.empty()) {
      const SideWorkers workers = workers_of(*left_.front());
      std::vector<const GateCase*> group;
      std::ranges::copy_if(left_, std::back_inserter(group),
                           [&](const GateCase* each) { return workers_of(*each) == workers; });
      for (const GateCase* each : group) {
        process::Interrupt::check();
        case_name_ = each->candidate.name;
        if (observer_.tick) observer_.tick(progress());
        measure(workers, *each);
      }
      processes_.end();
    }
  }

  void interrupt() {
    processes_.kill();
    for (const GateCase* each : left_)
      store::add(store_, setup_.gate.id,
                 verdict_on(*each, Verdict::undecided, "the gate was interrupted"));
  }

 private:
  void measure(const SideWorkers& workers, const GateCase& gate_case) {
    const Sides<std::optional<run::CaseResult>> results = count(workers, gate_case);
    for (const Side side : both_sides) {
      if (!results[side]) continue;
      store::add(store_, processes_.id(workers, side), gate_case[side].info,
                 results[side]->measurement);
    }
    const record::CaseVerdict verdict = verdict_of(gate_case, results);
    store::add(store_, setup_.gate.id, verdict);
    std::erase(left_, &gate_case);
    if (observer_.decided) observer_.decided(progress(), verdict);
  }

  /// When a worker cannot be started, that is the only result.
  Sides<std::optional<run::CaseResult>> count(const SideWorkers& workers,
                                              const GateCase& gate_case) {
    Sides<std::optional<run::CaseResult>> results;
    if (!processes_.ready(workers, gate_case, results)) return results;
    const run::CaseLimits limits{setup_.sampling, 0, setup_.case_timeout_s,
                                 std::numeric_limits<double>::infinity()};
    for (const Side side : both_sides) {
      results[side] = run::measure_case(processes_[side], gate_case[side], setup_.device.id,
                                        processes_.seed(), limits);
    }
    if (!results.baseline->worker_usable || !results.candidate->worker_usable) processes_.kill();
    return results;
  }

  record::CaseVerdict verdict_of(const GateCase& gate_case,
                                 const Sides<std::optional<run::CaseResult>>& results) const {
    if (const auto ended = ended_by(gate_case, results, std::nullopt, 0)) return *ended;
    require(results.baseline && results.candidate,
            "a case that did not end was counted on both sides");
    record::CaseVerdict verdict = verdict_on(gate_case, Verdict::undecided, "");
    analysis::judge_counts(verdict, results.baseline->measurement.metrics,
                           results.candidate->measurement.metrics, gate_case.rule);
    return verdict;
  }

  GateProgress progress() const {
    return {0,          0, static_cast<int>(left_.size()), static_cast<int>(setup_.cases.size()),
            case_name_, 0};
  }

  const GateSetup& setup_;
  store::Store& store_;
  const GateObserver& observer_;
  std::vector<const GateCase*> left_;  // without a verdict
  std::string case_name_;
  SideProcesses processes_;
};

}  // namespace

record::RunStatus measure_counts(const GateSetup& setup, store::Store& store,
                                 const GateObserver& observer) {
  return proceed(CountedGate(setup, store, observer));
}

}  // namespace ridgeline::gate
