#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/dtype.hpp"
#include "harness/device/buffer.hpp"
#include "harness/measure/workload.hpp"
#include "harness/outside/suite.hpp"

namespace ridgeline::outside {

/// A buffer that a kernel is given, between two zones of bytes that it may not write. No zones on
/// an emulated device, which finds such an access itself, in its line.
class Guarded {
 public:
  Guarded(device::Device& device, std::size_t bytes, std::span<const std::byte> zone);
  std::byte* data() const { return memory_.data() + zone_; }
  std::size_t bytes() const { return memory_.size() - 2 * zone_; }
  /// "written before its begin", "written past its end"; empty when it was not.
  std::string damage(device::Device& device, std::span<const std::byte> zone) const;

 private:
  std::size_t zone_;
  device::Buffer<std::byte> memory_;
};

/// The memory of a prepared case: sets of inputs, outputs, and what is known of them.
struct Memory {
  /// Allocates and fills. Keeps a reference to the device.
  Memory(const Case& described, measure::Setup& setup);

  /// The one element of a set that is of another seed than the others.
  struct Altered {
    std::size_t input = 0;
    std::int64_t element = 0;
    std::uint64_t seed = 0;
  };
  struct Set {
    std::uint64_t seed = 0;  // of its elements now
    std::optional<Altered> altered;
    bool launched = false;
    /// What tells its elements from those that it held at other times.
    std::uint64_t contents() const { return altered ? altered->seed : seed; }
    std::vector<Guarded> inputs;
  };
  struct Outputs {
    std::vector<Guarded> buffers;
    std::uint64_t garbage = 0;  // the seed of what was put in last; 0: NaN, or what NaN is of a
                                // type
  };

  /// Element `i` of an input as the device holds it: random_element(type, distribution, seed,
  /// first + i), where all but an altered one are of the set's seed.
  double element(std::size_t set, std::size_t input, std::int64_t i) const;
  void fill(std::size_t set, std::uint64_t seed);
  /// Puts another value in place of one element of one input. Leaves inputs as they are whose
  /// elements have all one value.
  void alter(std::size_t set);
  /// Makes outputs that were not written known: at first NaN, then numbers which no kernel can tell
  /// from results, so that none can know by its output whether it is looked at.
  void poison(std::size_t output);
  /// What is in `output` before anything is written: whether element `i` of buffer `k` is still it.
  bool is_poison(std::size_t output, std::size_t k, std::int64_t i, double value) const;
  /// As measure::Distrust has it.
  std::string damage() const;

  DType input_type(std::size_t input) const { return one.inputs[input].dtype.value_or(one.dtype); }
  DType output_type(std::size_t output) const {
    return one.outputs[output].dtype.value_or(one.dtype);
  }

  static std::uint64_t first(std::size_t set, std::size_t input);
  /// Puts the elements of an input, as they were made, to `to`.
  void make(std::byte* to, std::size_t set, std::size_t input) const;

  const Case one;
  device::Device& device;
  device::Distribution distribution;
  measure::Sets count;
  double spare_bytes = 0;
  std::vector<std::byte> zone;
  std::vector<Set> sets;
  std::vector<Outputs> outputs;
  device::Buffer<std::byte> workspace;
  std::size_t newest = 0;     // set that was launched
  bool was_poisoned = false;  // all outputs, once
  std::size_t poisoned = 0;
};

/// Bytes of the device's memory for two sets of inputs, an output and the workspace.
double memory_of(const Case& one);

}  // namespace ridgeline::outside
