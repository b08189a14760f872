#pragma once

#include "harness/base/names.hpp"

namespace ridgeline::record {

/// How measuring one case in one process ended. A failure is never a number.
enum class Outcome {
  ok,
  counted,   // verified and counted by a device that has no times: metrics and sites, no samples
  unstable,  // measured, but the interval of the process, or of the case over its processes, stayed
             // wider than the profile allows
  unverified,           // times of another program, which nobody checked against an oracle
  invalid_environment,  // measured while something recorded disturbed it (throttling, a neighbour
                        // on the GPU)
  wrong_result,  // the output differs from the oracle's, or the device found a mistake in the
                 // kernel (a race)
  unsupported,   // the variant or the device cannot do this problem; the reason says why
  unavailable,   // something the case needs is not installed; the reason names it
  not_measured,  // the budget was spent before any process of a run, or this process of a gate, had
                 // measured the case
  crashed,       // the worker ended, or stopped speaking the protocol
  timeout,       // the case spent its time, or out of all proportion of a gate's budget
};

inline std::span<const Name<Outcome>> names(Outcome) {
  static constexpr Name<Outcome> outcomes[] = {
      {Outcome::ok, "ok"},
      {Outcome::counted, "counted"},
      {Outcome::unstable, "unstable"},
      {Outcome::unverified, "unverified"},
      {Outcome::invalid_environment, "invalid_environment"},
      {Outcome::wrong_result, "wrong_result"},
      {Outcome::unsupported, "unsupported"},
      {Outcome::unavailable, "unavailable"},
      {Outcome::not_measured, "not_measured"},
      {Outcome::crashed, "crashed"},
      {Outcome::timeout, "timeout"},
  };
  return outcomes;
}
using ridgeline::to_string;  // of all enumerations of records

/// ok, unstable, unverified and invalid_environment carry samples; only ok may serve as a baseline.
constexpr bool has_samples(Outcome outcome) {
  return outcome == Outcome::ok || outcome == Outcome::unstable || outcome == Outcome::unverified ||
         outcome == Outcome::invalid_environment;
}

/// ok and counted: all went well, and there is no reason to give.
constexpr bool is_success(Outcome outcome) {
  return outcome == Outcome::ok || outcome == Outcome::counted;
}

/// wrong_result, crashed and timeout: what is wrong with the case.
constexpr bool is_failure(Outcome outcome) {
  return outcome == Outcome::wrong_result || outcome == Outcome::crashed ||
         outcome == Outcome::timeout;
}

}  // namespace ridgeline::record
