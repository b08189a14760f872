#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "harness/analysis/summary.hpp"
#include "harness/present/csv_cell.hpp"
#include "harness/present/export_formats.hpp"

namespace ridgeline::present {
namespace {

using analysis::CaseSummary;

constexpr std::string_view columns_before[] = {"run", "model", "case", "suite", "variant", "dtype"};
constexpr std::string_view columns_behind[] = {
    "outcome", "reason", "processes", "median_ns", "low_ns",       "high_ns",
    "flops",   "bytes",  "flop_rate", "byte_rate", "share_of_roof"};

/// The keys of all cases, in the order in which they come first.
std::vector<std::string> keys_of(const std::vector<CaseSummary>& cases) {
  std::vector<std::string> keys;
  for (const CaseSummary& one : cases)
    for (const auto* fields : {&one.case_info.id.problem, &one.case_info.id.options})
      for (const record::Field& field : *fields)
        if (std::ranges::find(keys, field.key) == keys.end()) keys.push_back(field.key);
  return keys;
}

/// A parameter that is called like another column gets a name of its own.
std::string title_of(const std::string& key) {
  const bool taken = std::ranges::find(columns_before, key) != std::end(columns_before) ||
                     std::ranges::find(columns_behind, key) != std::end(columns_behind);
  return csv_cell(taken ? "parameter." + key : key);
}

/// Empty when the case has no such field; all values of one that stands there more than once.
std::string value_of(const record::CaseId& id, const std::string& key) {
  std::string value;
  for (const auto* fields : {&id.problem, &id.options})
    for (const record::Field& field : *fields)
      if (field.key == key) value += (value.empty() ? "" : " ") + field.value;
  return value;
}

}  // namespace

void export_cases_csv(std::ostream& out, const ExportedRun& exported) {
  const std::vector<CaseSummary> cases =
      analysis::summarise(exported.measurements, exported.roofs, exported.run.unstable);
  const std::vector<std::string> keys = keys_of(cases);
  std::string line;
  for (const std::string_view column : columns_before) line += std::string(column) + ',';
  for (const std::string& key : keys) line += title_of(key) + ',';
  for (const std::string_view column : columns_behind) line += std::string(column) + ',';
  line.pop_back();
  out << line << "\r\n";
  for (const CaseSummary& one : cases) {
    const record::CaseId& id = one.case_info.id;
    line = fmt::format("{},{},{},{},{},{}", csv_cell(exported.run.id),
                       csv_cell(exported.device.model), csv_cell(record::name(id)),
                       csv_cell(id.suite), csv_cell(id.variant), csv_cell(id.dtype));
    for (const std::string& key : keys) line += ',' + csv_cell(value_of(id, key));
    const auto low = one.interval_ns ? std::optional(one.interval_ns->low) : std::nullopt,
               high = one.interval_ns ? std::optional(one.interval_ns->high) : std::nullopt;
    line += fmt::format(",{},{},{},{},{},{},{},{},{},{},{}", to_string(one.outcome),
                        csv_cell(one.reason), one.medians_ns.size(), csv_number(one.median_ns),
                        csv_number(low), csv_number(high), csv_number(one.flops),
                        csv_number(one.bytes), csv_number(one.flop_rate), csv_number(one.byte_rate),
                        csv_number(one.share_of_roof));
    out << line << "\r\n";
  }
}

}  // namespace ridgeline::present
