#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/analysis/ladder.hpp"
#include "harness/present/counted_cases.hpp"
#include "harness/present/report_data.hpp"
#include "harness/store/selector.hpp"

namespace ridgeline::present {

/// Reads runs with all that a report shows of them.
class RunReader {
 public:
  /// `all` runs of the folder, newest first.
  RunReader(std::vector<store::FoundRun> all, std::vector<analysis::Ladder> ladders);

  const std::vector<store::FoundRun>& all() const { return all_; }
  const store::FoundRun* find(const std::string& id) const;  // null when it is not there
  /// Throws a store Error when the run cannot be read. Counts that cannot be read are left out, and
  /// it is said why.
  ReportRun read(const store::FoundRun& found);

 private:
  const CountedCases& counted(const std::string& pci_id);

  std::vector<store::FoundRun> all_;
  std::vector<analysis::Ladder> ladders_;
  std::map<std::string, CountedCases> counted_;  // by PCI device id
};

}  // namespace ridgeline::present
