#pragma once

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

struct ComparedRuns {
  store::FoundRun a, b;
  analysis::Comparison comparison;
  bool counts = false;  // of devices that count: `counted` in place of times, means and roofs
  std::vector<analysis::ComparedCounts> counted;
};

/// Compares two runs: the cases that any of `patterns` picks, or all. Throws a usage Error when
/// they are the same run, one counted and the other has times, or a pattern picks nothing.
ComparedRuns compare_runs(const store::FoundRun& a, const store::FoundRun& b,
                          const std::vector<std::string>& patterns);

/// Cases with a ratio, or with counts on both sides.
int compared_cases(const ComparedRuns& compared);

/// What it comes to, in sentences of which the first says how much was compared. Never a verdict.
std::vector<std::string> conclusions(const ComparedRuns& compared);
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
Cells row_of(const analysis::MetricChange& change);

/// Whether a side's time is one to doubt: nothing of it was undisturbed, or it is unstable.
bool is_unsteady(const analysis::SideOfCase& side);

/// "0.712", "1.41", "23.5": three digits.
std::string short_ratio(double ratio);
/// "0.706 to 0.718", with as many digits as tell the ends apart.
std::string ratio_range(const stats::Interval& interval);

}  // namespace ridgeline::present
