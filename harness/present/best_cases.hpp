#pragma once

#include <string>
#include <vector>

#include "harness/analysis/summary.hpp"
#include "harness/base/json.hpp"

namespace ridgeline::present {

/// Whether it runs a library of others rather than a kernel of Ridgeline's own.
bool is_vendor(const record::CaseId& id);

/// Of each suite the own case with the highest rate, FLOP/s before B/s, and how many times faster
/// it is than the naive variant and than the vendor's library: a row of words per suite. Cases that
/// were not steady, that measure a ceiling or that beat one do not count; a vendor library's does
/// where there is no other.
json::Value best_cases(const std::vector<analysis::CaseSummary>& summaries);

/// These rows as text: a title line, then one line per suite; empty when there is none.
std::string best_table(const json::Value& best);

}  // namespace ridgeline::present
