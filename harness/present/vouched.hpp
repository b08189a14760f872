#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/analysis/summary.hpp"
#include "harness/base/checked.hpp"
#include "harness/base/json.hpp"

/// What vouches for a number beside its spread: how much of the output was compared, and whether
/// the warm-up had settled.
namespace ridgeline::present {

/// "whole", "by variant" or "sample".
std::string_view in_words(Checked checked);
/// "settled", or "at its budget".
std::string_view warm_up_in_words(bool settled);

/// "output checked whole, warm-up settled", without what is not known; empty when nothing is.
std::string vouched_text(const record::Measurement& measurement);
/// The same of many: "outputs checked: 80 whole, 3 sample; warm-up settled in 70 of 83 cases".
std::string vouched_text(const std::vector<analysis::CaseSummary>& summaries);

/// Adds `error`, `tolerance`, `checked` and `settled` to what is said of a case, where they are
/// known: the error that is largest as a share of its tolerance, unless it is no number.
void put_vouched(json::Value& object, const analysis::CaseSummary& summary);

}  // namespace ridgeline::present
