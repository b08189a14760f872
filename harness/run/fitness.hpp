#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/names.hpp"

/// What is said of a machine before anything is measured on it, and by which limits.
namespace ridgeline::run {

enum class Level {
  fine,
  note,     // worth knowing; times can still be trusted
  unknown,  // could not be looked at, so nothing is promised of it
  unfit,    // times measured now would not be those of the kernels alone
};
inline std::span<const Name<Level>> names(Level) {
  static constexpr Name<Level> levels[] = {{Level::fine, "fine"},
                                           {Level::note, "note"},
                                           {Level::unknown, "unknown"},
                                           {Level::unfit, "unfit"}};
  return levels;
}

/// One thing that was looked at, or could not be. Texts may hold names that others chose.
struct Finding {
  std::string check;  // "temperature"
  Level level = Level::fine;
  std::string seen;    // what was read
  std::string source;  // where from: a file, a tool
  std::string why;     // what it does to numbers
  std::string advice;  // what to do about it; empty when it is fine
};

/// What a check says whatever it finds.
struct Subject {
  std::string check, source, why;
};

inline Finding fine(const Subject& subject, std::string seen) {
  return {subject.check, Level::fine, std::move(seen), subject.source, subject.why, {}};
}
inline Finding finding(const Subject& subject, Level level, std::string seen, std::string advice) {
  return {subject.check, level, std::move(seen), subject.source, subject.why, std::move(advice)};
}

using Findings = std::vector<Finding>;

/// Whether none of them speaks against measuring.
inline bool is_fit(const Findings& findings) {
  for (const Finding& each : findings)
    if (each.level == Level::unfit) return false;
  return true;
}

/// The limits of what a run says before it starts, of `ridgeline doctor`, and by it of
/// ci/preflight.
namespace limits {
inline constexpr double busy_share = 0.1;  // of all processors, by others, where they are measured
inline constexpr double stolen_share = 0.02;  // of the processors' time, by the hypervisor
// The program that feeds a GPU needs a processor of its own, and somebody else's half.
inline constexpr double processors_of_a_feeder = 1.5;
inline constexpr double busy_beside_a_gpu = 0.5;  // of all processors: launches may come late
inline constexpr double hot_c = 75;  // at rest, where the driver says no headroom: clocks fall soon
inline constexpr double headroom_c = 10;             // at rest, to where clocks fall
inline constexpr double gpu_busy_percent = 5;        // by others
inline constexpr double gpu_memory_mib = 1024;       // what the driver keeps for itself is below
inline constexpr double memory_free = 1ull << 31;    // bytes, of the machine
inline constexpr double disk_free = 1ull << 31;      // bytes, for results
inline constexpr double shared_memory = 1ull << 30;  // bytes of /dev/shm, for ranks
inline constexpr double aa_confidence = 0.99;        // that two equal halves differ
inline constexpr double aa_ratio = 0.01;             // by which they may, whatever the interval
}  // namespace limits

}  // namespace ridgeline::run
