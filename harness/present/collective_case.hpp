#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/record/case.hpp"

namespace ridgeline::present {

/// What a case of the suite collectives does, as its name says.
struct CollectiveCase {
  std::string variant, dtype, operation, mode;
  std::string options;       // "in_place=yes,reduction=max"; empty for none
  std::string choice;        // what the library is told: "ring ll128"; empty: its own choice
  int ranks = 1, calls = 1;  // calls: of a sample, in a row
  double bytes = 0;
};

/// The value of this key; absent for what is no number above 0.
std::optional<double> number_in(const std::vector<record::Field>& fields, std::string_view key);

/// Absent for cases of other suites, and for a name that makes no sense: anybody may have written
/// it.
std::optional<CollectiveCase> collective_case(const record::CaseId& id);

/// "all_reduce in_place=yes, 2 ranks, pipelined, 16 calls, nccl, f32": all that such cases of
/// different sizes share.
std::string series_text(const CollectiveCase& of);
json::Value series_json(const CollectiveCase& of);

/// Of series of a device model: by operation, options, variant, ranks, mode, calls and type.
using SeriesKey = std::tuple<std::string, std::string, std::string, std::string, int, std::string,
                             int, std::string>;
SeriesKey series_key(const std::string& model, const CollectiveCase& of);

}  // namespace ridgeline::present
