#include "harness/present/vouched.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/units.hpp"

namespace ridgeline::present {

std::string_view in_words(Checked checked) {
  return checked == Checked::by_variant ? "by variant" : to_string(checked);
}

std::string_view warm_up_in_words(bool settled) { return settled ? "settled" : "at its budget"; }

std::string vouched_text(const record::Measurement& measurement) {
  std::vector<std::string> parts;
  if (measurement.verification && measurement.verification->checked)
    parts.push_back(fmt::format("output checked {}", in_words(*measurement.verification->checked)));
  if (measurement.settled)
    parts.push_back(fmt::format("warm-up {}", warm_up_in_words(*measurement.settled)));
  return fmt::to_string(fmt::join(parts, ", "));
}

std::string vouched_text(const std::vector<analysis::CaseSummary>& summaries) {
  std::vector<std::string> checked, parts;
  for (const Checked much : {Checked::whole, Checked::by_variant, Checked::sample}) {
    const auto cases = std::ranges::count_if(summaries, [&](const auto& summary) {
      return summary.verification && summary.verification->checked == much;
    });
    if (cases > 0) checked.push_back(fmt::format("{} {}", cases, in_words(much)));
  }
  if (!checked.empty())
    parts.push_back(fmt::format("outputs checked: {}", fmt::join(checked, ", ")));
  const auto known = std::ranges::count_if(
      summaries, [](const auto& summary) { return summary.settled.has_value(); });
  const auto settled = std::ranges::count(
      summaries, true, [](const auto& summary) { return summary.settled.value_or(false); });
  if (known > 0)
    parts.push_back(
        fmt::format("warm-up settled in {} of {}", settled, units::plural(known, "case")));
  return fmt::to_string(fmt::join(parts, "; "));
}

void put_vouched(json::Value& object, const analysis::CaseSummary& summary) {
  if (summary.verification) {
    const auto& [error, tolerance, checked] = *summary.verification;
    if (std::isfinite(error)) object["error"] = error;
    object["tolerance"] = tolerance;
    if (checked) object["checked"] = to_string(*checked);
  }
  if (summary.settled) object["settled"] = *summary.settled;
}

}  // namespace ridgeline::present
