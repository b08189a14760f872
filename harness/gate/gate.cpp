#include "harness/gate/gate.hpp"

#include "harness/gate/course.hpp"
#include "harness/process/interrupt.hpp"
#include "harness/run/timestamp.hpp"

namespace ridgeline::gate {
namespace {

void mark_failed(store::Store& store, const std::string& gate_id) {
  try {
    store.finish_gate(gate_id, record::RunStatus::failed, run::timestamp());
  } catch (const std::exception&) {
    return;  // the first failure is the one to tell
  }
}

}  // namespace

record::RunStatus measure_gate(const GateSetup& setup, store::Store& store, const GateObserver& observer) {
  try {
    const auto course = analysis::gives_counts(setup.device.kind) ? counted_course(setup, store, observer)
                                                                  : timed_course(setup, store, observer);
    record::RunStatus status = record::RunStatus::finished;
    try {
      course->measure();
    } catch (const process::Interrupted&) {
      status = record::RunStatus::interrupted;
      course->interrupt();
    }
    store.finish_gate(setup.gate.id, status, run::timestamp());
    return status;
  } catch (...) {
    mark_failed(store, setup.gate.id);
    throw;
  }
}

}  // namespace ridgeline::gate
