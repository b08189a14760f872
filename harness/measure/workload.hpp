#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "harness/device/device.hpp"
#include "harness/measure/group.hpp"
#include "harness/measure/input_pool.hpp"
#include "harness/record/measurement.hpp"

namespace ridgeline::measure {

enum class Cache { cold, hot };

/// What a case is given to prepare itself with.
struct Setup {
  device::Device& device;
  InputPool& inputs;       // filled once per process
  Group& group;            // the ranks that measure together; alone for most suites
  std::uint64_t seed = 0;  // of this measurement's inputs
  device::Distribution distribution = device::Distribution::uniform;
  Cache cache = Cache::cold;
  std::uint64_t layout = 0;  // as in PrepareOptions; nothing has to be done with it

  /// Buffer sets to rotate over when one execution touches `bytes_per_set`: 1 when hot, or when
  /// executions are counted; when cold enough that all sets together are at least twice the
  /// last-level cache, at most `most`. A power of two or three times one: batches of many sizes
  /// divide such numbers.
  std::size_t sets(std::size_t bytes_per_set, std::size_t most = 4096) const;
};

/// A prepared case: allocated, filled, and ready to be launched on any of its buffer sets. The
/// functions own the memory.
struct Workload {
  // Of one launch; bytes are the least that must move; 0 when there is no such work.
  double flops = 0, bytes = 0;
  std::size_t sets = 1;
  // Enqueues one execution on buffer set `set` < sets.
  std::function<void(std::size_t set, device::Stream&)> launch;
  std::function<void(std::size_t set)> poison;                  // makes the set's outputs NaN
  std::function<record::Verification(std::size_t set)> verify;  // compares the set's outputs with
                                                                // the oracle
  std::vector<record::Metric> metrics;
  /// Metrics that follow from the median time of one execution; may be empty.
  std::function<std::vector<record::Metric>(double median_ns)> timed_metrics = {};
};

}  // namespace ridgeline::measure
