#include "harness/gate/side_by_side.hpp"

#include <utility>

#include <fmt/core.h>

#include "harness/gate/order.hpp"

namespace ridgeline::gate {
namespace {

bool one_lacks_memory(const Sides<std::optional<run::CaseResult>>& results) {
  return results.baseline && results.candidate &&
         results.baseline->lacks_memory != results.candidate->lacks_memory;
}

}  // namespace

SideBySide::SideBySide(const GateSetup& setup, store::Store& store, std::function<void()> tick,
                       std::function<void(const std::string&)> note)
    : setup_(setup), note_(std::move(note)), processes_(setup, store, std::move(tick)) {}

// One side that could not be prepared while the other was: both are tried again in fresh processes,
// and then that side alone.
SideBySide::Measured SideBySide::measure(const SideWorkers& workers, const GateCase& gate_case,
                                         const std::function<run::CaseLimits()>& limits) {
  Measured measured{measure_both(workers, gate_case, limits()), {}};
  if (!one_lacks_memory(measured.results)) return measured;
  processes_.kill();
  measured.results = measure_both(workers, gate_case, limits());
  if (!one_lacks_memory(measured.results)) return measured;
  const Side side = measured.results.baseline->lacks_memory ? Side::baseline : Side::candidate;
  processes_.kill();
  if (Results failures; !processes_.ready(workers, gate_case, failures)) return {failures, {}};
  processes_.kill(other(side));
  run::CaseExecution alone(processes_[side], gate_case[side], setup_.device.id, processes_.seed(),
                           layout(gate_case, side), limits());
  alone.prepare();
  alone.sample();
  alone.finish();
  processes_.kill();
  const run::CaseResult result = alone.result();
  if (record::has_samples(result.measurement.outcome))
    measured.one_by_one = fmt::format("{} alone can be measured, but beside the other: {}",
                                      to_string(side), measured.results[side]->measurement.reason);
  else
    measured.results[side] = result;
  return measured;
}

SideBySide::Results SideBySide::measure_both(const SideWorkers& workers, const GateCase& gate_case,
                                             const run::CaseLimits& limits) {
  Results failures;
  if (!processes_.ready(workers, gate_case, failures)) return failures;
  const std::string& name = gate_case.candidate.name;
  const Sides<run::CaseResult> results = measure_pair(
      {{&processes_[Side::baseline], &gate_case.baseline, layout(gate_case, Side::baseline)},
       {&processes_[Side::candidate], &gate_case.candidate, layout(gate_case, Side::candidate)}},
      baseline_first(setup_.gate.seed, name, processes_.round()) ? Side::baseline : Side::candidate,
      setup_.device.id, processes_.seed(), limits);
  // One that has died takes the other with it: the rest of the round is measured by a pair of the
  // same age again.
  if (!results.baseline.worker_usable || !results.candidate.worker_usable) processes_.kill();
  return {results.baseline, results.candidate};
}

// 0 on both sides when either does not know what it is: one layout against many is no fair
// comparison.
std::uint64_t SideBySide::layout(const GateCase& each, Side side) {
  if (!knows_layouts(*each.baseline.worker) || !knows_layouts(*each.candidate.worker)) return 0;
  return layout_of(setup_.gate.seed, each.candidate.name, processes_.round(), side);
}

bool SideBySide::knows_layouts(const run::Worker& worker) {
  if (worker.hello.features.contains(protocol::Feature::layout)) return true;
  if (without_layouts_.insert(&worker).second && note_)
    note_(
        fmt::format("{} does not know layouts: neither side's are random, and an effect of where "
                    "its data lies is not told from one of the change",
                    worker.program.string()));
  return false;
}

}  // namespace ridgeline::gate
