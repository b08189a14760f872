#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/analysis/count_decision.hpp"
#include "harness/record/measurement.hpp"

// What both sides of a gate that measures times say of a case beside its times: memory, bytes that
// move, registers, energy. It is told, and decides nothing: a register more is no slow-down.
namespace ridgeline::analysis {

struct BesideTimes {
  /// `baseline` and `candidate` are medians over the processes, and `allowed` is 0.
  MetricChange metric;
  /// Each side has it from two processes or more, and says the same in all: then it does not
  /// depend on times or on chance, and both are compared exactly.
  bool exact = false;
  /// A value in another unit or direction is another value, whatever its number.
  bool changed() const {
    return metric.baseline != metric.candidate || metric.change == Change::one_side;
  }
};

/// By name.
std::vector<BesideTimes> beside_times(std::span<const record::Metric> baseline,
                                      std::span<const record::Metric> candidate);

/// "registers 40 -> 48, memory_bytes 1024 (the baseline alone), size (in another unit or
/// direction)" of what is exact and changed, and "energy 0.12 -> 0.13 J" wherever both sides
/// measured it; empty when there is neither.
std::string beside_words(std::span<const BesideTimes> all);

}  // namespace ridgeline::analysis
