#include "harness/analysis/counted_case.hpp"

#include <algorithm>

namespace ridgeline::analysis {

using store::StoredMeasurement;

CountedCase counted_case(const CaseProcesses& processes) {
  CountedCase found;
  for (const StoredMeasurement* process : processes) {
    if (process->measurement.outcome != record::Outcome::counted) continue;
    if (found.shown && found.shown->measurement.sites != process->measurement.sites) found.processes_differ = true;
    found.shown = process;
  }
  return found;
}

void read_sites(const store::Store& store, std::vector<StoredMeasurement>& measurements) {
  for (StoredMeasurement& stored : measurements) {
    if (stored.measurement.outcome != record::Outcome::counted) continue;
    stored.measurement.sites = store.sites(stored.id);
    stored.measurement.sources = store.sources(stored.id);
  }
}

}  // namespace ridgeline::analysis
