#include "harness/present/collective_time.hpp"

#include "harness/base/units.hpp"

namespace ridgeline::present {

bool is_ok(const analysis::CaseSummary& summary) { return summary.outcome == record::Outcome::ok; }

std::string time_cell(const analysis::CaseSummary& summary) {
  if (!summary.median_ns) return std::string(record::to_string(summary.outcome));
  return units::time(*summary.median_ns) + (is_ok(summary) ? "" : " ?");
}

json::Value timed(json::Value object, const analysis::CaseSummary& summary) {
  object["outcome"] = record::to_string(summary.outcome);
  if (!summary.reason.empty()) object["reason"] = summary.reason;
  if (summary.median_ns) object["ns"] = *summary.median_ns;
  return object;
}

}  // namespace ridgeline::present
