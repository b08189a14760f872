#include "harness/gate/gate.hpp"

#include "harness/gate/course.hpp"
#include "harness/run/timestamp.hpp"
#include "harness/store/write_gate.hpp"

namespace ridgeline::gate {

void measure_gate(GateSetup& setup, store::Store& store, const GateObserver& observer) {
  record::Gate& gate = setup.gate;
  try {
    gate.status = analysis::gives_counts(setup.device.kind) ? measure_counts(setup, store, observer)
                                                            : measure_times(setup, store, observer);
    gate.finished = run::timestamp();
    store::finish_gate(store, gate.id, gate.status, gate.finished);
  } catch (...) {
    try {
      store::finish_gate(store, gate.id, record::RunStatus::failed, run::timestamp());
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the first failure is the one
                                       // to tell
    }
    throw;
  }
}

}  // namespace ridgeline::gate
