#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/device/device.hpp"
#include "harness/measure/workload.hpp"
#include "harness/record/measurement.hpp"

namespace ridgeline {
class KeptFiles;
}

namespace ridgeline::measure {

/// How a case is prepared.
struct PrepareOptions {
  Cache cache = Cache::cold;
  device::Launch launch = device::Launch::graph;
  device::Distribution distribution = device::Distribution::uniform;
  std::uint64_t seed = 1;
  double warmup_budget_ns = 200e6;  // of warming up; a case that is longer runs once, and more when
                                    // it may be an accident
  double steady = 0.01;  // warm when the medians of two successive windows differ by no more than
                         // this, relatively
  double sample_floor_ns = 200e3;  // a sample executes often enough to last this long (graph mode)
  double settle_budget_ns = 0;     // of executing the case until the device's clock and power are
                                   // steady, before it is warmed up
  double energy_budget_ns = 0;     // of executing it for its energy, after sampling
  /// When not 0, memory of `layout_bytes(layout)` is held back before the case allocates anything,
  /// until it is finished: its buffers lie elsewhere for another value.
  std::uint64_t layout = 0;
  std::filesystem::path sources = {};  // where the kernels' sources lie, for counts; empty: they
                                       // are left out
  std::string case_name = {};          // of what is kept
  /// Where processes that measure the same inputs keep for each other which outputs are right;
  /// null: nowhere.
  KeptFiles* kept = nullptr;
};

/// 0 for 0; otherwise one of 256 multiples of the alignment that devices allocate with.
std::size_t layout_bytes(std::uint64_t layout);

/// When one call of sample() stops: at `max_samples`, before the sample that would exceed the
/// budget (but not without any), or once `min_samples` are taken and the interval over all samples
/// of the process is within the target.
struct SampleOptions {
  double target = 0.01;  // half width of the 95% interval of the process's median, relative to the
                         // median
  int min_samples = 10;
  int max_samples = 1000;
  double budget_ns = 1e9;
};

/// One case between prepare and finish. Preparing and sampling are apart so that two workers can be
/// prepared side by side and sampled in turn. Only a case whose `outcome()` is ok can be sampled; a
/// counted one is finished at once.
class Experiment {
 public:
  /// Allocates, verifies (poisoned outputs against the oracle) and warms up until steady. On a
  /// device of Kind::emulated it verifies and counts one execution, and that is all. Throws Error
  /// when the device fails.
  Experiment(const std::function<Workload(Setup&)>& prepare, Setup setup,
             const PrepareOptions& options);

  record::Outcome outcome() const;  // ok so far, counted, wrong_result, or unsupported by a device
                                    // that counts
  const std::string& reason() const;  // empty while the outcome is ok or counted
  double flops() const;
  double bytes() const;

  /// Takes samples, appends them to the measurement, and returns those taken now (ns an execution).
  std::vector<double> sample(const SampleOptions& options);

  /// Verifies again and returns all that was measured. The outcome is counted, ok,
  /// invalid_environment or wrong_result: `case_name`, `attempt` and the judgement that a spread
  /// makes the case unstable are the caller's.
  record::Measurement finish();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ridgeline::measure
