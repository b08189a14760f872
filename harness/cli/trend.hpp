#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/standing.hpp"
#include "harness/cli/command.hpp"
#include "harness/present/trend.hpp"

/// What `ridgeline trend` and the commands below it share.
namespace ridgeline::cli {

/// What is analysed: the same of whoever tells, and of whoever answers to what was told.
struct TrendChoice {
  analysis::SeriesChoice choice;
  int shown_nights = 90;
  std::optional<double> step_percent, tick_ns;
};

/// Throws a usage Error for --since and --until that are no days.
void check_days(const TrendChoice& options);
/// Throws a usage Error for a --step or a --tick that cannot be.
analysis::TrendRules rules_of(const TrendChoice& options);
/// What a job asks for, as record::Telling has it.
std::string job_of(const TrendChoice& options);
/// Of all devices that are meant, with what was told and said of their findings before. `now` is a
/// point in time of UTC; `left_out` is told of files that cannot be read.
std::vector<analysis::DeviceTrend> standing_trends(const Context& context,
                                                   const TrendChoice& options,
                                                   const analysis::TrendRules& rules,
                                                   const std::string& now,
                                                   const store::LeftOut& left_out);

/// Options of both.
void add_choice(Command command, Context& context, TrendChoice& options);
/// The commands below `trend`: acknowledge, expect, resolve, reopen and told.
void add_told_commands(Command trend, Context& context);
/// `trend siblings`.
void add_siblings_command(Command trend, Context& context);

}  // namespace ridgeline::cli
