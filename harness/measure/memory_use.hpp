#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "harness/measure/workload.hpp"

namespace ridgeline::measure {

/// What a case needs of its device's memory.
class MemoryUse {
 public:
  /// Reads what is in use before the case. Keeps a reference to `setup`.
  explicit MemoryUse(const Setup& setup);

  /// Bytes that the first execution has needed: memory that is in use and was not before, also what
  /// a library or the driver took, with views of the pool for what the pool has grown by, and
  /// without what is there to rotate over. Nothing may have been compared since: that takes memory,
  /// too. None where the device does not tell, or another program has freed memory meanwhile.
  std::optional<double> needed(const Workload& workload) const;

 private:
  const Setup& setup_;
  std::optional<std::uint64_t> used_before_;  // bytes of the device's memory
  std::size_t pool_before_;                   // bytes of the pool
  std::size_t kept_before_;                   // bytes that the device's keeper holds
};

}  // namespace ridgeline::measure
