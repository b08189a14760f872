#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>

#include "harness/base/json.hpp"
#include "harness/present/run_reader.hpp"
#include "harness/store/selector.hpp"

namespace ridgeline::present {

/// So many runs of a device are in its history, and so many of a case are told how they ended that
/// gave no value, and that gave one to doubt.
inline constexpr std::size_t most_history_runs = 400, most_endings = 20;

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

}  // namespace ridgeline::present
