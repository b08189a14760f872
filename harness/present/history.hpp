#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/present/case_histories.hpp"
#include "harness/present/sparkline.hpp"
#include "harness/record/run.hpp"
#include "harness/store/selector.hpp"

/// `ridgeline history`: what one case came to, run after run.
namespace ridgeline::present {

struct HistoryChoice {
  std::vector<std::string> patterns;  // of case names, at least one
  std::string device;                 // words of a model, or the start of a UUID; empty: all
  std::size_t limit = 30;             // runs of each case, the newest
};

/// What a run has of the case.
struct HistoryRow {
  record::Run run;
  std::size_t environment = 0;  // place in CaseHistory::environments
  CaseResult result;
};

/// One case on one device.
struct CaseHistory {
  std::string name;
  record::Device device;                          // as it last was
  std::vector<record::Environment> environments;  // that differ in what is comparable, as they came
  std::vector<HistoryRow> rows;                   // oldest first
  std::size_t older = 0;                          // runs that the limit leaves out
};

/// By device and case. Throws a usage Error when no stored case or device is what `choice` asks
/// for, and a store Error when nothing can be read; `left_out` is told of files that cannot.
std::vector<CaseHistory> find_history(const std::filesystem::path& results,
                                      const HistoryChoice& choice, const store::LeftOut& left_out);

/// In lines of `width` characters where that is possible.
std::string history_text(const std::vector<CaseHistory>& histories, Glyphs glyphs,
                         std::size_t width);
/// What is unknown is left out.
json::Value to_json(const CaseHistory& history);

}  // namespace ridgeline::present
