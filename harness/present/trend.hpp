#pragma once

#include <string>
#include <vector>

#include "harness/analysis/trend.hpp"
#include "harness/base/json.hpp"

namespace ridgeline::present {

/// What `ridgeline trend` tells.
struct TrendReport {
  std::vector<analysis::DeviceTrend> devices;
  analysis::TrendRules rules;
  int exit_code = 0;  // of --fail-on-new
};

/// 2 when a case has newly stopped, else 1 when something is newly for the worse, else 0.
int fail_on_new(const std::vector<analysis::DeviceTrend>& devices);

/// The command that measures what is before `changes` against what is after it, on `device`; empty, with `why`, when
/// there are no two commits that could be built.
std::string confirming_command(const analysis::NightChanges& changes, const record::Device& device,
                               const std::string& case_name, std::string& why);

/// The member with the largest change, whose command confirms the event.
const analysis::TrendChange& largest(const analysis::FleetEvent& event);

/// What happened, in a sentence without its night and without whether it is new.
std::string in_words(const analysis::FleetEvent& event);
std::string in_words(const analysis::EnvironmentStart& start);
/// `nights` are all that are stored.
std::string in_words(const analysis::TrendStop& stop, std::size_t nights);

std::string trend_text(const TrendReport& report);
/// `with_series`: also the values of every series.
json::Value to_json(const TrendReport& report, bool with_series);

/// What a report draws of a device: what to_json says of it, and of the nights that `rules` show the values of every
/// case, of a case that was counted those metrics of which a change is told.
json::Value report_json(const analysis::DeviceTrend& trend, const analysis::TrendRules& rules);

/// One character a value, or a few of more than 60, a bar before `marked` unless that is 0: lowest to highest of all
/// but the outermost twentieths.
std::string sparkline(const std::vector<double>& values, std::size_t marked = 0);

}  // namespace ridgeline::present
