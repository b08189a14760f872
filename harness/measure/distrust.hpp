#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/measure/workload.hpp"

namespace ridgeline::measure {

/// When outputs are compared among the samples of a case: at moments that nobody can foresee, more
/// often at first.
class Moments {
 public:
  Moments();
  /// Whether now that so many samples are taken is such a moment.
  bool come(std::size_t samples);

 private:
  std::size_t next_;
  int left_ = 3;  // each costs what the oracle costs
};

/// How many outputs are compared after sampling: the more, the sooner is found what leaves out a
/// share of its executions.
class Looks {
 public:
  static constexpr int most = 30;

  explicit Looks(std::int64_t wall_ns = 5'000'000'000) : wall_{wall_ns} {}

  /// Whether there is another one: `most`, unless they take more than a second of the processor, or
  /// `wall_ns` of the wall clock, as of a kernel that waits for something else.
  bool more();

 private:
  /// One clock, and what it may show.
  struct Budget {
    std::int64_t most_ns, began_ns = 0, last_ns = 0, longest_ns = 0;
    /// Whether another look as long as the longest one is within it.
    bool allows(std::int64_t now_ns, bool first);
  };
  Budget processor_{1'000'000'000}, wall_;
  int taken_ = 0;
};

/// What the clock that times were taken with says beside the kernel's.
class Clocks {
 public:
  void add(double told_ns, double wall_ns);
  /// Why the times are none; empty when they may be. A GPU's clock leaves out what it takes to
  /// start a batch and to wait for it.
  std::string invented(bool on_gpu) const;

 private:
  std::vector<double> shares_;  // of the wall time of a batch that was told
};

/// Executes the workload on inputs that it has not seen before, on the same inputs again, on such
/// of which one element has changed, and several times in a row. Where all of these times show that
/// an output is remembered, or that a repeated execution is left out, says so; else empty.
/// `is_right` compares an output; when it says no, that is all. Renews inputs, so that samples can
/// no longer be taken.
std::string remembered(const Workload& workload, device::Device& device, device::Launch launch,
                       const std::function<bool(Turn)>& is_right);

}  // namespace ridgeline::measure
