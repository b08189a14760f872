#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/catalogue/datasheets.hpp"
#include "harness/record/case.hpp"
#include "harness/record/measurement.hpp"
#include "harness/store/selector.hpp"

namespace ridgeline::present {

/// A case with its latest result on an emulated device.
struct LatestCount {
  std::string run;
  record::Case info;
  record::Measurement measurement;
};
using CountedCases = std::map<std::string, LatestCount>;  // by name

/// The emulated device that runs the code of a GPU of this datasheet ("emulated:sm_90"); absent
/// where none does.
std::optional<std::string> counting_device(const catalogue::Datasheet& sheet);

/// Whether the run counted on that emulated device, for itself and not as a side of a gate.
bool is_counted_by(const store::FoundRun& found, const std::string& device);

/// Each case of the newest of `runs` that has it; `runs` are newest first. Throws a store Error
/// when one cannot be read.
CountedCases counted_cases(const std::vector<store::FoundRun>& runs);

/// counted_cases() on the emulated device of a GPU with this PCI device id, of `all` runs, which
/// are newest first; empty where there is no such GPU or run. Throws as counted_cases().
CountedCases counted_for(const std::string& pci_id, const std::vector<store::FoundRun>& all);

}  // namespace ridgeline::present
