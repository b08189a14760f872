#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/analysis/summary.hpp"
#include "harness/present/report_data.hpp"
#include "harness/record/run.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/selector.hpp"

namespace ridgeline::present {

/// What the runs of a device model say of the cases that claims name. Each run is read when it is
/// first asked for.
class ModelResults {
 public:
  struct Run {
    store::StoredRun stored;
    std::vector<record::Roof> roofs;
    std::map<std::string, analysis::CaseSummary> good;  // by name
    std::map<std::string, std::string> bad;             // why the result is not good
  };

  /// Of at least one run. `wanted` are the cases; runs `at_hand` are not read again. Both must
  /// outlive this. Throws a store Error, as at() does, when the results cannot be read.
  ModelResults(std::vector<store::FoundRun> newest_first, const std::set<std::string>& wanted,
               const std::vector<ReportRun>& at_hand);

  /// Of several devices of the model the first by id: a command that names it suits most machines.
  const record::Device& device() const;
  std::size_t size() const { return found_.size(); }
  /// Whether any run, of a gate too, has tried one of the cases. Saves reading all runs for them.
  bool any_stored(const std::vector<std::string>& names) const;
  const Run& at(std::size_t place);

 private:
  Run read(const store::FoundRun& found) const;

  std::vector<store::FoundRun> found_;
  std::vector<std::optional<Run>> runs_;
  const std::set<std::string>& wanted_;
  const std::vector<ReportRun>& at_hand_;
  std::set<std::string> stored_;
};

/// The fastest of `names` of which the run has a good result; null without one.
const analysis::CaseSummary* fastest_of(const ModelResults::Run& run,
                                        const std::vector<std::string>& names);

/// Of the newest run that has one; null without one.
struct NewestResult {
  const ModelResults::Run* run = nullptr;
  const analysis::CaseSummary* summary = nullptr;
};
NewestResult newest_of(ModelResults& results, const std::vector<std::string>& names);

/// Why there is no good result of any of `names`.
std::string why_not_good(ModelResults& results, const std::vector<std::string>& names);

}  // namespace ridgeline::present
