#pragma once

#include <cstddef>
#include <filesystem>
#include <ostream>
#include <set>
#include <string>

#include "harness/base/json.hpp"
#include "harness/present/run_reader.hpp"
#include "harness/store/selector.hpp"

namespace ridgeline::present {

/// So many runs of a device are in its history, and so many of a case that gave no value.
inline constexpr std::size_t most_history_runs = 400, most_runs_without = 20;

/// What cases came to in all runs, as the report document has it.
struct ReportHistories {
  std::string commits;  // where the commits of this repository are shown; empty where none is known
  json::Value devices = json::Value::array();
};

/// Of the device that `device` means, as is_asked_for. `shown` are the runs that the document has:
/// of cases whose last run is another one, that is read whole, each run once. What cannot be read
/// is left out, and `left_out` told.
ReportHistories report_histories(const std::filesystem::path& results, const std::string& device,
                                 const std::set<std::string>& shown, RunReader& runs,
                                 const store::LeftOut& left_out);

/// Writes a report document with its histories, a list of such: a line each, for there may be
/// millions of numbers in them; of all else a line per value.
void write_document(std::ostream& stream, const json::Value& document,
                    const json::Value& histories);

}  // namespace ridgeline::present
