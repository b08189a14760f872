#pragma once

#include "harness/record/case.hpp"
#include "harness/run/profile.hpp"

// A roof is what all other cases are read against: an error of it is in every share of the run.
namespace ridgeline::run {

/// How closely a case is measured: as the profile says, a roof with twice as many samples at least
/// and at most. The target is the same: where memory is noisy, a narrower one only takes time.
Sampling sampling_of(const Sampling& profile, const record::Case& info);

/// How many parts of the run's sampling time one execution of a case may use.
double shares_of(const record::Case& info);

}  // namespace ridgeline::run
