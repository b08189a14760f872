#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "harness/device/cpu/host_memory.hpp"
#include "harness/device/device.hpp"
#include "harness/measure/batches.hpp"
#include "harness/measure/measure.hpp"
#include "harness/outside/suite.hpp"
#include "harness/outside/workload.hpp"

namespace ridgeline::outside {

/// Measures a case as a worker does, shortly. Times are those of this machine, so that a test may
/// depend on none of them.
inline record::Measurement measured(const Case& one, device::Device& device,
                                    measure::Cache cache = measure::Cache::cold) {
  measure::InputPool none(device, 1);
  measure::Group alone;
  measure::PrepareOptions options;
  options.cache = cache;
  options.seed = 7;
  options.warmup_budget_ns = 2e6;
  options.sample_floor_ns = 50e3;
  measure::Experiment experiment([&](measure::Setup& setup) { return prepare(one, setup); },
                                 measure::Setup{device, none, alone}, options);
  if (experiment.outcome() == record::Outcome::ok) experiment.sample({0.0, 12, 12, 5e9});
  return experiment.finish();
}

/// The CPU as far as kernels see it, with a cache so small that a case has few buffer sets.
class SmallCpu : public device::cpu::HostDevice {
 public:
  SmallCpu() {
    facts_.id = "cpu";
    facts_.last_level_cache = 8u << 10;
  }
  const device::Facts& facts() const override { return facts_; }
  std::unique_ptr<device::Batch> record(std::function<void(device::Stream&)> launches,
                                        device::Launch) override {
    return std::make_unique<Timed>(std::move(launches), stream());
  }
  device::Reading read_sensors() override { return {}; }

 private:
  class Timed final : public device::Batch {
   public:
    Timed(std::function<void(device::Stream&)> launches, device::Stream& stream)
        : launches_(std::move(launches)), stream_(stream) {}
    double run_ns() override {
      const measure::Stopwatch watch;
      launches_(stream_);
      return watch.ns();
    }

   private:
    std::function<void(device::Stream&)> launches_;
    device::Stream& stream_;
  };
  device::Facts facts_;
};

inline device::Device& cpu() {
  static SmallCpu device;
  return device;
}

/// Twice each input, in so many steps that it takes a while.
inline void doubled(const float* x, float* y, std::int64_t n, int steps = 100) {
  for (std::int64_t i = 0; i < n; ++i) {
    float sum = 0;
    for (int step = 0; step < steps; ++step) sum = 0.5f * sum + x[i];
    y[i] = sum;
  }
}

/// A case that doubles n floats by `kernel(x, y)`.
template <class Kernel>
Case doubling(Kernel kernel, std::int64_t n = 256) {
  return {.variant = "doubling",
          .problem = {{"n", n}},
          .inputs = {{n}},
          .outputs = {{n, [](const Inputs& in, std::int64_t i) { return 2 * in(0, i); }}},
          .launch = [kernel](const Execution& on) { kernel(on.in<float>(0), on.out<float>(0)); },
          .flops = 2.0 * static_cast<double>(n),
          .bytes = 8.0 * static_cast<double>(n)};
}

}  // namespace ridgeline::outside
