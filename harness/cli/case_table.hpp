#pragma once

#include <string>
#include <vector>

#include "harness/analysis/summary.hpp"
#include "harness/base/json.hpp"
#include "harness/record/outcome.hpp"

namespace ridgeline::cli {

/// The table that closes a run: case, median, interval, rate, share of the roof, outcome. Of an emulated device, whose
/// cases have no times: requests to global memory, sectors and wavefronts a request, bytes moved. One line a case, with
/// its newline.
std::string case_table(const std::vector<analysis::CaseSummary>& summaries);

/// What the table says of one case, for programs: times in ns, rates in FLOP/s and B/s; what is unknown is left out.
json::Value to_json(const analysis::CaseSummary& summary);

/// "41 ok, 1 crashed": zeros left out, in enum order.
std::string outcome_counts(const std::vector<analysis::CaseSummary>& summaries);

}  // namespace ridgeline::cli
