#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/analysis/call_costs.hpp"
#include "harness/base/json.hpp"
#include "harness/present/collective_case.hpp"
#include "harness/present/collectives.hpp"

/// `ridgeline collectives rows`: a call alone, and calls in rows of several lengths.
namespace ridgeline::present {

struct RowsOfSize {
  double bytes = 0;
  std::map<int, analysis::CaseSummary> by_calls;  // 1: isolated
  std::optional<analysis::CallCosts> costs;       // by the two longest rows
};

/// One operation at all sizes at which rows of two lengths were measured, of the newest run that
/// has such.
struct RowsOfOperation {
  std::string run, model;
  CollectiveCase of;  // the first of them
  std::vector<RowsOfSize> sizes;
};

/// As find_curves.
std::vector<RowsOfOperation> find_rows(const std::filesystem::path& results,
                                       const CurveChoice& choice, const store::LeftOut& left_out);

std::string rows_text(const std::vector<RowsOfOperation>& operations, std::size_t width);
json::Value to_json(const RowsOfOperation& operation);

}  // namespace ridgeline::present
