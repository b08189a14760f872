#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/summary.hpp"
#include "harness/base/device_kind.hpp"
#include "harness/stats/interval.hpp"

/// Ladders: cases that solve one problem, each by one idea more than the one before.
namespace ridgeline::analysis {

/// What is asked for: suites/ladders.toml. Cases by their whole names.
struct Ladder {
  std::string title;
  DeviceKind kind = DeviceKind::cuda;
  std::string cases;                    // the name that most of them have, with * for the variant
  std::vector<std::string> rungs;       // the simplest first
  std::vector<std::string> references;  // what each rung is set against, of which the fastest
                                        // counts: a vendor's library, or a copy of the same bytes
  std::vector<std::string> notes = {};  // sentences that a reader of its numbers should know
};

/// How many times faster one case is than another, per unit of work.
struct SpeedUp {
  double ratio = 0;
  std::optional<stats::Interval> interval;  // 95%, over process medians; absent below 3 processes
                                            // per side
};

/// Of `to` over `from`, where `to` does `work` times as much. Absent where a case has no time.
std::optional<SpeedUp> times_as_fast(const CaseSummary& from, const CaseSummary& to, double work);

/// Of `to` over `from`. Their operations say how much work each does, or their least bytes where
/// one has no operations, as a copy; where neither is known of both, cases of the same problem do
/// the same. Absent where a case has no time, or the work is not known.
std::optional<SpeedUp> speed_up(const CaseSummary& from, const CaseSummary& to);

struct Rung {
  std::string name;                    // of the case
  std::optional<CaseSummary> summary;  // absent where the run does not have the case
  std::optional<SpeedUp> over_before;  // the rung before; absent where either has no time
  std::optional<SpeedUp> over_reference;
};

/// A ladder as one run measured it.
struct ClimbedLadder {
  Ladder ladder;
  std::vector<Rung> rungs;               // of the ladder, in its order
  std::vector<Rung> references;          // those of the ladder; the ratios are of the rungs alone
  std::optional<std::size_t> reference;  // the fastest of them, where one has a time
};

/// `summaries` are those of one run.
ClimbedLadder climb(const Ladder& ladder, const std::vector<CaseSummary>& summaries);

}  // namespace ridgeline::analysis
