#pragma once

#include <cstddef>

#include "harness/measure/batches.hpp"
#include "harness/measure/distrust.hpp"
#include "harness/measure/judge.hpp"

namespace ridgeline::measure {

/// What is looked at of a kernel that nobody vouches for, among its samples and after them. Of any
/// other, nothing is.
class DistrustedCase {
 public:
  /// Keeps references: all must outlive it.
  DistrustedCase(Setup& setup, const Workload& workload, const PrepareOptions& options,
                 Judge& judge, record::Measurement& measurement)
      : setup_(setup),
        workload_(workload),
        options_(options),
        judge_(judge),
        measurement_(measurement) {}

  /// A sample was just taken, of so many: now and then compares the newest output, and one more.
  void look_at_sample(const Batches& batches, std::size_t samples, double told_ns);
  /// Samples can no longer be taken after this.
  void look_after_samples();

 private:
  void look_behind_others();

  Setup& setup_;
  const Workload& workload_;
  const PrepareOptions& options_;
  Judge& judge_;
  record::Measurement& measurement_;
  Moments moments_;
  Clocks clocks_;
};

}  // namespace ridgeline::measure
