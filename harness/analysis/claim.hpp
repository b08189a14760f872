#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/analysis/summary.hpp"
#include "harness/base/device_kind.hpp"
#include "harness/base/names.hpp"
#include "harness/record/run.hpp"
#include "harness/stats/interval.hpp"

/// Claims: what textbooks say of devices, beside what is measured on one.
namespace ridgeline::analysis {

/// What a check makes of the results that it takes.
enum class Quantity {
  speed,      // times as fast, per unit of work, as speed_up()
  ridge,      // operations per second over bytes per second: FLOP/B
  latency,    // time per load over another's
  share,      // of a datasheet's rate
  intensity,  // operations over least bytes, or over bytes that counters saw at DRAM: FLOP/B
  growth,     // exponent with which memory grows with a field of the problem
};
std::span<const Name<Quantity>> names(Quantity);

/// What a textbook says of a quantity. Not everything is absent.
struct Border {
  std::optional<double> at_least = {}, at_most = {}, about = {};
  double within = 0.1;  // of `about`
};
stats::Interval bounds(const Border& border);  // an end that is not given is unbounded

/// One quantity that a claim is about. Cases by their whole names; of several, the fastest counts.
struct Check {
  std::string when;   // under which circumstances; empty for the only check of a claim
  std::string model;  // words of the device models that it is about; empty: all
  Quantity quantity = Quantity::speed;
  std::vector<std::string> of;
  std::vector<std::string> over;  // of speed, ridge, latency and growth
  std::string over_model;         // words of another device model, whose result `over` is; empty:
                                  // the same
  std::string peak;               // of a share: kind of the datasheet's roof
  bool counted_bytes = false;     // of an intensity: at DRAM, by the device's counters
  std::string by;                 // of a growth: key of the field
  Border border;
  std::string missing;  // why no case can answer it; then only `when` is told
};

struct Claim {
  std::string title;
  DeviceKind kind = DeviceKind::cuda;
  std::string says;        // what textbooks say: a sentence
  std::string conditions;  // under which it is checked here: a sentence
  std::vector<Check> checks;
};

/// A quantity as results have it.
struct Measured {
  std::optional<double> value = {};
  std::optional<stats::Interval> interval = {};  // 95%, over process medians; absent below 3
                                                 // processes
  bool exact = false;                            // counted or known, so that it needs no interval
  std::string against = {};                      // of a share: the datasheet's rate and its source
  std::string lacks = {};                        // why there is no value
};

/// `over` is null for quantities without one. `roofs` are of the run that `of` comes from.
Measured measured(const Check& check, const CaseSummary& of, const CaseSummary* over,
                  const std::vector<record::Roof>& roofs);

/// Whether a result can stand for a case: right, steady, undisturbed, and no measuring error.
bool is_good(const CaseSummary& summary);

enum class ClaimVerdict {
  holds,
  does_not_hold,
  holds_only_when,   // some checks hold, others do not
  holds_where_told,  // some checks hold, of the others nothing is known
  cannot_be_told,    // an interval contains the border, or there is none
  not_measured,
};
std::span<const Name<ClaimVerdict>> names(ClaimVerdict);

/// holds, does_not_hold, cannot_be_told or not_measured.
ClaimVerdict judge(const Measured& measured, const Border& border);
/// Of a claim by those of its checks, of which there is one.
ClaimVerdict judge(const std::vector<ClaimVerdict>& checks);

}  // namespace ridgeline::analysis
