#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/present/gate_report.hpp"

/// How a gate is put into words: the same in every format that people read. Names, reasons and
/// notes are as untrusted as where they come from; each format escapes them its own way.
namespace ridgeline::present {

/// The cells of one case. Empty where nothing is known.
struct GateRow {
  std::string case_name;
  std::string baseline;  // the other variant, or the other case's whole name; empty when it is the
                         // same case
  std::string verdict;   // "regression", "regression (expected)", "pass (regression expected)"
  std::string change;    // "+3.2%": slower
  std::string interval;  // "[+2.9%, +3.5%]", "[no bound, +3.5%]"
  std::string delta;     // "3%"
  std::string pairs;     // "18", "18 (2 dropped)"
  std::string noise;     // "0.15%"
  std::string baseline_value, candidate_value;  // "1.23 us", "4096"
  // Of counts, in place of change, interval, pairs and noise; delta is what the metric was allowed
  // to grow.
  std::string metric;
  std::string ratio;  // "1.25": candidate over baseline; empty from and to zero
  std::string why;    // expectation, reason, smallest effect, p value and level
};

GateRow gate_row(const record::CaseVerdict& verdict);
/// With what changed beside times.
GateRow gate_row(const GateReport& report, const record::CaseVerdict& verdict);

/// An expectation for programs, and as a mark behind the verdict.
struct ExpectedWords {
  const char *name, *mark;
};
ExpectedWords words_of(Expected state);

/// "+3.2%" of the ratio 1.032, with as many digits as a delta of this size asks for.
std::string signed_percent(double ratio, double delta);

/// A relative slow-down that can be found: "of about 3.2%", "to about 20 times".
std::string effect_text(double effect);

/// "0.998", with as many digits as tell it from 1.
std::string ratio_text(double ratio);

/// Change and interval in one: "+3.2% [+2.9%, +3.5%]"; of counts "barriers 2 -> 4, ratio 2". Empty
/// without either.
std::string change_with_interval(const GateRow& row);
/// The same with delta, or with what a count was allowed.
std::string change_and_delta(const GateRow& row);

/// "gate ID: CANDIDATE against BASELINE on DEVICE"; "A/A" is said.
std::string gate_title(const record::Gate& gate, const record::Device& device);

/// "2 regressions (1 expected), 40 pass", or in words that there is no verdict.
std::string counts_text(const GateReport& report);

/// "sampling 61%, ..." of what the workers spent on cases; empty of counts, and where nothing was
/// measured.
std::string spent_text(const GateReport& report);

/// What the whole gate comes to, in a sentence or a few; the last says whether it passes, fails and
/// why, or decides nothing.
std::vector<std::string> conclusions(const GateReport& report);

/// The command that goes on with a gate that ended before its time; empty for one that cannot go
/// on. `state` is the gate's status in words, and `file` holds it.
std::string resume_command(const record::Gate& gate, std::string_view state,
                           const std::filesystem::path& file);
std::string resume_command(const GateReport& report);

/// What the column of counts counts: "pairs", or "processes" of stored runs.
std::string counted(const record::Gate& gate);

/// Whether counts are compared, and no times.
bool compares_counts(const GateReport& report);

/// Whether some case is compared with another one.
bool compares_variants(const GateReport& report);

/// The verdicts that tables for people have a row for: a change leaves most cases the same code,
/// which is counted alone.
std::vector<record::CaseVerdict> with_rows(const GateReport& report);

}  // namespace ridgeline::present
