#pragma once

#include <string>

#include "harness/analysis/summary.hpp"
#include "harness/base/json.hpp"

/// Times of collectives in tables and documents.
namespace ridgeline::present {

bool is_ok(const analysis::CaseSummary& summary);

/// A time that is not good is marked as in other tables; without one, the outcome.
std::string time_cell(const analysis::CaseSummary& summary);

/// Sets `outcome`, `reason` and `ns`, as far as there are any.
json::Value timed(json::Value object, const analysis::CaseSummary& summary);

}  // namespace ridgeline::present
