#include "harness/gate/gate.hpp"

#include "harness/gate/course.hpp"
#include "harness/run/timestamp.hpp"
#include "harness/store/write_gate.hpp"

namespace ridgeline::gate {

record::RunStatus measure_gate(const GateSetup& setup, store::Store& store,
                               const GateObserver& observer) {
  try {
    const record::RunStatus status = analysis::gives_counts(setup.device.kind)
                                         ? measure_counts(setup, store, observer)
                                         : measure_times(setup, store, observer);
    store::finish_gate(store, setup.gate.id, status, run::timestamp());
    return status;
  } catch (...) {
    try {
      store::finish_gate(store, setup.gate.id, record::RunStatus::failed, run::timestamp());
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the first failure is the one
                                       // to tell
    }
    throw;
  }
}

}  // namespace ridgeline::gate
