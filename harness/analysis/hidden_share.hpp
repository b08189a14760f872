#pragma once

#include <optional>

#include "harness/analysis/summary.hpp"
#include "harness/stats/interval.hpp"

/// What work and a collective cost each other while both go on, and how much of the shorter one is
/// hidden by the longer.
namespace ridgeline::analysis {

struct Estimate {
  double value = 0;
  std::optional<stats::Interval> interval;  // of 95%; absent below 3 processes of a case
};

/// Time beside something over time alone: 1 where neither costs the other anything. Absent where
/// either has no time.
std::optional<Estimate> slow_down(const CaseSummary& alone, const CaseSummary& beside);

/// (work + collective - both) / the shorter of work and collective, each alone. 1: the shorter one
/// costs nothing. 0: as long as one after the other. Below 0: longer than that. It is never cut
/// off. Above 1 it is noise, as long as nothing is faster beside something than alone. Absent where
/// one has no time.
/// The interval is that of the linear part of the formula (delta method) with Welch and
/// Satterthwaite's degrees of freedom: the three are measured independently.
std::optional<Estimate> hidden_share(const CaseSummary& work, const CaseSummary& collective,
                                     const CaseSummary& both);

}  // namespace ridgeline::analysis
