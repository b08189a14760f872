#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/analysis/trend.hpp"
#include "harness/base/json.hpp"

namespace ridgeline::present {

/// Which findings are listed; all else stays as it is.
struct ListedFindings {
  std::vector<std::string> kinds{};   // as kind_words, or "gone"; "new" narrows them; none: all
  std::optional<std::size_t> most{};  // the first so many of a device
};

/// What `ridgeline trend` tells.
struct TrendReport {
  std::vector<analysis::DeviceTrend> devices;
  analysis::TrendRules rules;
  int exit_code = 0;  // of --fail-on-new
  ListedFindings listed{};
  std::vector<std::string> left_out{};  // why results files are not among them
};

/// 2 when a case has newly stopped, else 1 when something is newly for the worse, else 0; 3 when no
/// case was measured at all.
int fail_on_new(const std::vector<analysis::DeviceTrend>& devices);

/// The command that measures what is before `changes` against what is after it, on `device`; empty,
/// with `why`, when there are no two commits that could be built.
std::string confirming_command(const analysis::NightChanges& changes, const record::Device& device,
                               const std::string& case_name, std::string& why);

/// What happened, in a sentence without its night.
std::string in_words(const analysis::EnvironmentStart& start);

/// One thing that a trend tells: a change of one case, one that many share, a drift, or a case that
/// stopped. Texts are empty where there is nothing to say. Refers to its trend.
struct Finding {
  std::string_view kind;  // of a TrendKind, "drift" or "stopped"
  std::size_t night = 0;  // the first of the new level or of the drift; the last with a time
  bool is_new = false, fails = false;
  bool mode = false;            // to and fro between levels that were told before
  bool worse = false;           // a regression, but for modes, a drift to slower times or a stop
  std::string case_name;        // empty for many
  std::optional<double> ratio;  // after over before; absent when no number can hold it
  std::optional<stats::Interval> range;       // of it, 95%
  std::optional<record::Outcome> since_then;  // of a stop, the latest
  std::string levels;                         // "933 ns -> 989 ns", or what happened
  std::string where;  // which nights it may have been, when it was told, and what became of it
  std::optional<std::size_t> raised;  // the night it was told on; absent for many
  std::optional<std::size_t> until;   // of a drift, the night on which it was seen last
  std::string sparkline;
  const analysis::NightChanges* changes = nullptr;       // absent for a stop
  const analysis::Why* why = nullptr;                    // absent when it is not explained
  const analysis::Continuation* continued_by = nullptr;  // of a case that was renamed
  // The command, or why there is none; neither for drifts and stops.
  std::string confirm, cannot_confirm;
  std::string bisect;  // of a regression: the search among several commits, where git knows them
  const analysis::TrendChange* step = nullptr;  // of one case
  const analysis::Standing* standing = nullptr;
  std::vector<Finding> members;  // of many, the largest change first
};

/// Its kind as it is shown: "mode" and "renamed" are told apart, too.
std::string_view kind_words(const Finding& one);

/// "+6.0%", "+5.6% to +6.5%", "+6.0% (+5.6% to +6.5%) 933 ns -> 989 ns", "commit
/// 0061c0ffeec0 -> 0062c0ffeec0"
std::string change_words(const Finding& one);
std::string range_words(const Finding& one);
std::string in_words(const Finding& one);
std::string commit_words(const Finding& one);

/// "machine: the commit is the same": what it most likely comes from, and what speaks for that
/// beside `changes`.
std::string cause_words(const Finding& one);

/// What fails a night first, then what is new, modes last; of each the newest, of a night the
/// largest.
std::vector<Finding> findings(const analysis::DeviceTrend& trend);

bool is_listed(const ListedFindings& listed, std::string_view kind, bool is_new);
/// Those of `found` that are listed; `hidden` is how many `most` leaves out.
std::vector<Finding> listed(std::vector<Finding> found, const ListedFindings& listed,
                            std::size_t& hidden);

/// "acknowledged", "undone"; empty of what nobody has said anything of.
std::string_view state_word(const Finding& one);
/// "label a0b1c2d3: told 2026-07-18, acknowledged 2026-07-19 by ops: the new allocator"; empty
/// where nothing was looked up.
std::string standing_words(const analysis::DeviceTrend& trend, const Finding& one);
/// "regression copy/wide/f32/n=64, +6.0%, told 2026-07-18: not found any more"
std::string gone_words(const record::Told& told);

/// "the last 90 nights: 2 regressions (1 new), 1 drift; 3 changes before, which --nights lists"
std::string totals(const std::vector<Finding>& found, const analysis::DeviceTrend& trend,
                   std::size_t shown_nights);

/// What is not in these nights, and what they cannot say.
std::vector<std::string> limits(const analysis::DeviceTrend& trend);

std::string trend_text(const TrendReport& report);
/// `with_series`: also the values of every series.
json::Value to_json(const TrendReport& report, bool with_series);

/// What a report shows of a device: what was found, in words, and of the nights that `rules` show
/// the values of every case, of a case that was counted those metrics of which a change is told.
json::Value report_json(const analysis::DeviceTrend& trend, const analysis::TrendRules& rules);

/// One character a value, or a few of more than 60, a bar before `marked` unless that is 0: lowest
/// to highest of all but the outermost twentieths.
std::string sparkline(const std::vector<double>& values, std::size_t marked = 0);

}  // namespace ridgeline::present
