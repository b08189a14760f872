#include "harness/present/counted_cases.hpp"

#include <fmt/core.h>

#include "harness/analysis/bound.hpp"
#include "harness/analysis/summary.hpp"
#include "harness/store/read_runs.hpp"

namespace ridgeline::present {

std::optional<std::string> counting_device(const catalogue::Datasheet& sheet) {
  const std::optional<int> capability = analysis::counting_capability(sheet);
  if (!capability) return std::nullopt;
  return fmt::format("emulated:sm_{}", *capability);
}

bool is_counted_by(const store::FoundRun& found, const std::string& device) {
  return found.summary.device.kind == DeviceKind::emulated && found.summary.device.id == device &&
         found.summary.run.gate.empty();
}

CountedCases counted_cases(const std::vector<store::FoundRun>& runs) {
  CountedCases cases;
  for (const store::FoundRun& found : runs) {
    const std::vector<store::StoredMeasurement> stored = store::measurements(
        store::Store::open(found.file), found.summary.run.id, store::Samples::leave_out);
    for (const analysis::CaseProcesses& processes : analysis::by_case(stored)) {
      const store::StoredMeasurement& last = *processes.back();
      cases.emplace(record::name(last.case_info.id),
                    LatestCount{found.summary.run.id, last.case_info, last.measurement});
    }
  }
  return cases;
}

CountedCases counted_for(const std::string& pci_id, const std::vector<store::FoundRun>& all) {
  const std::optional<catalogue::Datasheet> sheet = catalogue::datasheet(pci_id);
  const auto device = sheet ? counting_device(*sheet) : std::nullopt;
  if (!device) return {};
  std::vector<store::FoundRun> runs = all;
  std::erase_if(runs, [&](const store::FoundRun& found) { return !is_counted_by(found, *device); });
  return counted_cases(runs);
}

}  // namespace ridgeline::present
