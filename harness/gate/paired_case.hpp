#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "harness/gate/order.hpp"
#include "harness/process/worker_process.hpp"
#include "harness/run/measure_case.hpp"

namespace ridgeline::gate {

/// One thing for each side.
template <class Value>
struct Sides {
  Value baseline{}, candidate{};
  Value& operator[](Side side) { return side == Side::baseline ? baseline : candidate; }
  const Value& operator[](Side side) const { return side == Side::baseline ? baseline : candidate; }
  bool operator==(const Sides&) const = default;
};

inline constexpr Side both_sides[] = {Side::baseline, Side::candidate};
constexpr Side other(Side side) {
  return side == Side::baseline ? Side::candidate : Side::baseline;
}

/// What one side of one round of one case is measured with.
struct PairedSide {
  process::WorkerProcess* worker = nullptr;  // running, and ready
  const run::Selected* selected = nullptr;
  std::uint64_t layout = 0;
};

/// Measures a case once with both workers: prepares them side by side, samples them in turn, and
/// finishes them, always `first` before the other. All processes of the one that does not have its
/// turn are stopped meanwhile, so that OpenMP threads that spin, MPI ranks that poll and whatever
/// else a worker does between requests take nothing from the other. When one side cannot be
/// measured, the other is all the same. Throws Interrupted alone.
Sides<run::CaseResult> measure_pair(const Sides<PairedSide>& sides, Side first,
                                    const std::string& device, std::uint64_t seed,
                                    const run::CaseLimits& limits);

}  // namespace ridgeline::gate
