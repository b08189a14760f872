#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/device/device.hpp"
#include "harness/measure/group.hpp"
#include "harness/measure/input_pool.hpp"
#include "harness/record/measurement.hpp"

namespace ridgeline::measure {

enum class Cache { cold, hot };

/// How many buffer sets a case rotates over: of inputs, and of outputs, which are as many or one.
struct Sets {
  std::size_t inputs = 1, outputs = 1;
  bool operator==(const Sets&) const = default;
};

/// What one execution reads and writes: buffer set `inputs`, and output `output`. Which belong
/// together changes from turn to turn, so that an output that was kept from before is wrong.
struct Turn {
  std::size_t inputs = 0, output = 0;
  bool operator==(const Turn&) const = default;
};

/// What a case is given to prepare itself with.
struct Setup {
  device::Device& device;
  InputPool& inputs;       // filled once per process
  Group& group;            // the ranks that measure together; alone for most suites
  std::uint64_t seed = 0;  // of this measurement's inputs
  device::Distribution distribution = device::Distribution::uniform;
  Cache cache = Cache::cold;
  std::uint64_t layout = 0;  // as in PrepareOptions; nothing has to be done with it

  /// Buffer sets to rotate over when one execution touches `bytes_per_set`: one when executions are
  /// counted. Two sets of inputs and one output when hot, or when a set is twice the last-level
  /// cache or more. Otherwise as many of both as are at least twice that cache together, at most
  /// `most`: a power of two or three times one, because batches of many sizes divide such numbers.
  Sets sets(std::size_t bytes_per_set, std::size_t most = 4096) const;
  /// The same for a case that no cache keeps anything for, or whose data are meant to lie in one.
  Sets fewest_sets() const { return sets(1, 1); }
};

/// Of kernels that nobody vouches for: what shows whether they do the work that they are timed for.
struct Distrust {
  /// Puts the elements of another seed in place of a set's inputs.
  std::function<void(std::size_t inputs, std::uint64_t seed)> renew;
  /// Puts another value in place of one element of a set's inputs.
  std::function<void(std::size_t inputs)> alter;
  /// What executions have changed though it is not theirs to change: inputs, or memory beside a
  /// buffer. Empty when nothing.
  std::function<std::string()> damage;
  /// What the newest `verify` has found wrong, for people; empty when nothing.
  std::function<std::string()> finding;
};

/// A prepared case: allocated, filled, and ready to be launched with any set of its inputs and any
/// of its outputs. The functions own the memory.
struct Workload {
  // Of one launch; bytes are the least that must move; 0 when there is no such work.
  double flops = 0, bytes = 0;
  Sets sets;
  /// Executions of a sample where their number is part of what is measured; it is a multiple or a
  /// divisor of sets.inputs. 0: as many as last long enough.
  std::int64_t executions = 0;
  std::function<void(Turn, device::Stream&)> launch;  // enqueues one execution
  /// The time of the newest sample in ns, where it is another than that of all launches together.
  /// Asked on every rank after each sample. May be empty.
  std::function<double()> sample_ns = {};
  /// Makes an output NaN; one that inputs lie in is made as it was before the first execution.
  std::function<void(std::size_t output)> poison;
  // Compares an output with what the oracle makes of a set of inputs.
  std::function<record::Verification(Turn)> verify;
  /// More words on an output that `verify` has found wrong on this rank or another: all ranks ask
  /// together. May be empty.
  std::function<std::string(Turn)> what_is_wrong = {};
  /// False when an execution changes its own inputs, so that only one after poison() can be
  /// verified.
  bool repeats = true;
  /// Of buffer sets that are there to rotate over, and that one execution does not need.
  double spare_bytes = 0;
  bool samples_memory = false;  // whether the memory that the first execution needed is a metric
  std::vector<record::Metric> metrics;
  /// Metrics that follow from the median time of one execution; may be empty.
  std::function<std::vector<record::Metric>(double median_ns)> timed_metrics = {};

  /// For a CPU: all bytes of an output, and what tells the inputs of a set from those of others,
  /// wherever they come from. With the case's name, `verify` must depend on nothing else: an output
  /// that was found right is then known again by its bits. Absent: `verify` is always asked.
  std::function<std::span<const std::byte>(std::size_t output)> bits = {};
  std::function<std::string(std::size_t inputs)> inputs_key = {};

  std::optional<Distrust> distrust = {};
};

}  // namespace ridgeline::measure
