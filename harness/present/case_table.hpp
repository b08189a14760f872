#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/analysis/summary.hpp"
#include "harness/base/json.hpp"
#include "harness/present/terminal.hpp"
#include "harness/record/outcome.hpp"

namespace ridgeline::present {

/// The table that closes a run: case, median, interval, rate, share of the roof, outcome. Of an
/// emulated device, whose cases have no times: requests to global memory, sectors and wavefronts
/// per request, bytes moved. What the cases of a suite have in common stands once above them, and
/// they share one unit per column. A reason stands below its row. What several cases were not
/// measured for, and any other reason that several share, is counted once below the table; the
/// former have no rows.
std::string case_table(const std::vector<analysis::CaseSummary>& summaries, const Look& look = {});

/// What the table says of one case, for programs: times in ns, rates in FLOP/s and B/s; what is
/// unknown is left out.
json::Value to_json(const analysis::CaseSummary& summary);

/// The cases that are faster than their roof allows.
std::vector<std::string> names_above_roof(const std::vector<analysis::CaseSummary>& summaries);
/// "1 case above its roof, a measuring error: NAME"; empty when none is.
std::string above_roof(const std::vector<analysis::CaseSummary>& summaries);

/// "41 ok, 1 crashed": zeros left out, in enum order.
std::string outcome_counts(const std::vector<analysis::CaseSummary>& summaries);

}  // namespace ridgeline::present
