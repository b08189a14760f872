#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/checked.hpp"
#include "harness/record/facts.hpp"
#include "harness/record/outcome.hpp"

namespace ridgeline::record {

/// Which way a metric is better; `none` for facts that are neither.
enum class Direction { lower, higher, none };

inline std::span<const Name<Direction>> names(Direction) {
  static constexpr Name<Direction> directions[] = {
      {Direction::lower, "lower"}, {Direction::higher, "higher"}, {Direction::none, "none"}};
  return directions;
}

/// A named quantity of a case beside its time: expected sectors per request, predicted occupancy,
/// memory it needs.
struct Metric {
  std::string name;
  double value = 0;
  std::string unit;
  Direction direction = Direction::none;
  bool operator==(const Metric&) const = default;
};

/// One access in a kernel's source, and what all warps did there in one execution of the case.
/// Exact, for the code that the counting device's compiler made of the source. Zero where a
/// quantity has no meaning.
struct Site {
  std::string kernel;  // as the debug information calls it, without arguments
  std::string file;    // relative to the source tree where it lies below it
  int line = 0;        // 1-based; 0 when the debug information does not say
  std::string access;  // "global load", "shared store", "global atomic", "tensor", ...: see
                       // device::SiteCount
  int lane_bytes = 0;  // that one lane reads or writes
  std::uint64_t requests = 0, lanes = 0;  // of warps; active lanes, summed over requests
  std::uint64_t sectors = 0;              // of 32 bytes, global memory
  std::uint64_t wavefronts = 0;           // shared memory; one per request is the least
  bool operator==(const Site&) const = default;
};

/// A source file that sites lie in, as it was when the kernel was counted.
struct Source {
  std::string file, text;
  bool operator==(const Source&) const = default;
};

/// What one measurement may carry at most. It comes from another program: more is refused.
inline constexpr std::size_t max_sites = 10'000, max_sources = 100, max_source_bytes = 1u << 20;

/// How far an output was from the oracle's, in the family's measure; right when
/// !(error > tolerance) and error is a number.
struct Verification {
  double error = 0;
  double tolerance = 0;
  std::optional<Checked> checked{};  // how much of the output was compared; absent when the worker
                                     // does not say
  bool right() const { return error <= tolerance; }  // false for NaN
  /// An error that is not a number equals another that is not.
  bool operator==(const Verification& other) const {
    return tolerance == other.tolerance && checked == other.checked &&
           (error == other.error || (error != error && other.error != other.error));
  }
};

/// What a device said of itself while a case was timed; absent where the device cannot say.
struct Telemetry {
  std::optional<double> sm_clock_mhz;  // median over the readings; a CPU's core clock
  std::optional<double> memory_clock_mhz;
  std::optional<double> power_w;        // highest reading
  std::optional<double> temperature_c;  // highest reading
  std::string throttle;  // comma-separated reasons seen while timing ("sw_power_cap"); empty when
                         // none
  bool throttled_by_hardware = false;  // one of the reasons makes the samples invalid
  std::optional<int> other_processes;  // compute processes on the device that are not ours
  bool operator==(const Telemetry&) const = default;
};

/// What is left of samples that were dropped.
struct Pruned {
  std::int64_t samples = 0;  // that there were
  std::string when;          // UTC, ISO 8601 to the second
  bool operator==(const Pruned&) const = default;
};

/// All samples of one case in one process, with its outcome.
struct Measurement {
  std::string case_name;
  Outcome outcome = Outcome::crashed;
  std::string reason;  // why the outcome is not ok; empty when it is
  int attempt = 1;     // 2 and more when a case is measured again in the same replicate

  std::vector<double> samples_ns;  // time of one execution in ns, in the order taken; empty unless
                                   // has_samples(outcome)
  std::optional<Pruned> pruned;  // when the samples are no longer there: median_ns stands for them
  std::int64_t executions_per_sample = 1;
  std::optional<double> median_ns;           // of samples_ns
  std::optional<double> relative_spread;     // half width of the process's 95% interval over its
                                             // median: the stopping rule
  std::optional<Verification> verification;  // the worse of before and after timing

  std::optional<double> flops, bytes;  // of one execution, as prepared
  std::string launch, cache;           // "graph", "single" or "loop"; "cold" or "hot"
  std::int64_t buffer_sets = 0;
  std::uint64_t seed = 0;
  std::optional<bool> settled;  // the warm-up ended because times had settled; false: at its budget

  // Where the wall time of this case went, in ns.
  double prepare_ns = 0, verify_ns = 0, warmup_ns = 0, timed_ns = 0, total_ns = 0;
  Telemetry telemetry;
  std::vector<Metric> metrics;
  Facts said;                   // what an imported result says in words
  std::vector<Site> sites;      // of a counted case, by file, line and access; else empty
  std::vector<Source> sources;  // of the sites, as far as they can be read

  /// How many samples there are, or were.
  std::int64_t sample_count() const {
    return pruned ? pruned->samples : static_cast<std::int64_t>(samples_ns.size());
  }
  bool operator==(const Measurement&) const = default;
};

}  // namespace ridgeline::record
