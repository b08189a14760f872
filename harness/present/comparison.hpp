#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/compared_counts.hpp"
#include "harness/analysis/comparison.hpp"
#include "harness/base/json.hpp"
#include "harness/present/wrapped.hpp"
#include "harness/store/selector.hpp"

/// `ridgeline compare`: two runs side by side, told in four formats.
namespace ridgeline::present {

/// A GPU that was measured, beside its siblings, on both sides.
struct ComparedGpu {
  std::string id, uuid;                        // the id as A's side calls it
  std::string a_run, b_run;                    // ids
  std::optional<analysis::ComparedSuite> all;  // the mean of all cases; absent without any
};

struct ComparedRuns {
  store::FoundRun a, b;
  analysis::Comparison comparison;
  bool counts = false;  // of devices that count: `counted` in place of times, means and roofs
  std::vector<analysis::ComparedCounts> counted;
  std::string host;          // of siblings, which A and B are
  std::size_t together = 0;  // that many GPUs were measured together with A, it included, where A
                             // and B are siblings
  std::vector<ComparedGpu> gpus;  // two or more, where A and B are of hosts full of GPUs
};

struct Sides {
  store::FoundRun a, b;
  std::vector<store::FoundRun> others;  // that may be siblings of both: the folder's runs where
                                        // both are of GPUs of one model
};

/// Two runs that a user names. A run that was not named by its id or as a baseline stands for all
/// that were measured together with it: if the other side's GPU is among them, its run is taken.
/// Throws like store::find_run.
Sides find_sides(const std::filesystem::path& results, const std::string& a, const std::string& b,
                 const store::LeftOut& left_out);

/// Compares two runs: the cases that any of `patterns` picks, or all. Throws a usage Error when
/// they are the same run, one counted and the other has times, or a pattern picks nothing.
ComparedRuns compare_runs(const Sides& sides, const std::vector<std::string>& patterns);

/// Cases with a ratio, or with counts on both sides.
int compared_cases(const ComparedRuns& compared);

/// What it comes to, in sentences of which the first says how much was compared. Never a verdict.
std::vector<std::string> conclusions(const ComparedRuns& compared);
/// What siblings differ by, or by how much they cannot differ, in sentences.
std::vector<std::string> sibling_sentences(const analysis::Comparison& comparison);
/// Of counts: "3 cases of 5 equal in every count; 126 equal counts in all".
std::string equal_counts(const ComparedRuns& compared);

/// In lines of `width` characters where that is possible.
std::string comparison_text(const ComparedRuns& compared, std::size_t width = any_width);
/// The same as GitHub's and GitLab's Markdown.
std::string comparison_markdown(const ComparedRuns& compared);
/// One row per case (of counts: a metric that changed), as RFC 4180 has it; what is absent is an
/// empty cell.
std::string comparison_csv(const ComparedRuns& compared);
json::Value comparison_json(const ComparedRuns& compared);
/// The same for a report, without paths of this machine and with statuses in words. `all` are the
/// runs of the folder.
json::Value report_json(const ComparedRuns& compared, const std::vector<store::FoundRun>& all);

/// Rows of the tables, cell by cell; that of a change lacks its case.
using Cells = std::vector<std::string>;
Cells row_of(const analysis::ComparedCase& one);
Cells row_of(const analysis::ComparedSuite& suite);
Cells row_of(const analysis::ComparedRoof& roof);
Cells row_of(const ComparedGpu& gpu);
Cells row_of(const analysis::MetricChange& change);

/// Whether a side's time is one to doubt: nothing of it was undisturbed, or it is unstable.
bool is_unsteady(const analysis::SideOfCase& side);

/// "0.712", "1.41", "23.5": three digits.
std::string short_ratio(double ratio);
/// "0.706 to 0.718", with as many digits as tell the ends apart.
std::string ratio_range(const stats::Interval& interval);

}  // namespace ridgeline::present
