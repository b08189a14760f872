#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/device/buffer.hpp"
#include "harness/device/fake/fake_device.hpp"
#include "harness/device/random.hpp"
#include "harness/measure/measure.hpp"

namespace ridgeline::measure {

/// A fake device whose batches launch what `rewritten` makes of the launches: a graph that does not
/// do what was recorded.
class RecordingDevice final : public device::FakeDevice {
 public:
  using Launches = std::function<void(device::Stream&)>;
  using FakeDevice::FakeDevice;
  std::unique_ptr<device::Batch> record(Launches launches, device::Launch mode) override {
    return FakeDevice::record(rewritten(std::move(launches)), mode);
  }
  std::vector<device::LoadedKernel> kernels_of(const Launches&) override { return loaded; }
  std::vector<device::LoadedKernel> loaded;
  std::function<Launches(Launches)> rewritten = [](Launches launches) { return launches; };

  const device::Facts& facts() const override {
    return passes_for_ ? *passes_for_ : FakeDevice::facts();
  }
  void pass_for(device::Kind kind) {
    passes_for_ = FakeDevice::facts();
    passes_for_->kind = kind;
  }

 private:
  std::optional<device::Facts> passes_for_;
};

/// A case on the fake device: each execution writes a value to its output, which for set s of the
/// inputs should be 1 + s. Time comes from `ns`, asked once an execution.
struct Bench {
  std::function<double(std::int64_t execution)> ns = [](std::int64_t) { return 100e3; };
  /// What is written in place of 1; set s adds s.
  std::function<float(std::int64_t execution)> output = [](std::int64_t) { return 1.0f; };
  std::function<device::Reading(std::int64_t)> reading = [](std::int64_t) {
    return device::Reading{};
  };
  std::function<Checked()> checked = [] { return Checked::whole; };
  std::function<std::vector<record::Metric>(double)> timed_metrics;
  double flops = 8, bytes = 16;
  Sets sets;
  std::optional<std::size_t> skipped;  // inputs whose launches do nothing
  /// The set of inputs that a launch reads in place of its own.
  std::function<std::size_t(std::size_t inputs)> reads = [](std::size_t inputs) { return inputs; };
  PrepareOptions options;

  std::vector<Turn> order;   // of executions
  std::vector<Turn> judged;  // outputs that were compared
  std::int64_t executed = 0;
  double elapsed = 0;  // of executions not yet handed to a batch
  Group alone;
  Group* group = &alone;
  RecordingDevice device{{[this](std::int64_t) { return std::exchange(elapsed, 0.0); },
                          [this](std::int64_t i) { return reading(i); }, 1u << 30}};
  InputPool inputs{device, 1};

  Bench() {
    options.warmup_budget_ns = 20e6;
    options.sample_floor_ns = 100e3;
  }

  Experiment prepare() {
    const auto make = [this](Setup& setup) {
      auto outputs = std::make_shared<std::vector<device::Buffer<float>>>();
      for (std::size_t set = 0; set < sets.outputs; ++set) outputs->emplace_back(setup.device, 4);
      Workload workload;
      workload.flops = flops;
      workload.bytes = bytes;
      workload.sets = sets;
      workload.timed_metrics = timed_metrics;
      workload.launch = [this, outputs](Turn turn, device::Stream&) {
        if (turn.inputs == skipped) return;
        const float value = output(executed) + static_cast<float>(reads(turn.inputs));
        if (!std::isnan(value))
          for (int i = 0; i < 4; ++i) (*outputs)[turn.output].data()[i] = value;
        elapsed += ns(executed++);
        order.push_back(turn);
      };
      workload.poison = [outputs](std::size_t output) { (*outputs)[output].poison(); };
      workload.verify = [this, outputs](Turn turn) {
        judged.push_back(turn);
        const double expected = 1.0 + static_cast<double>(turn.inputs);
        return record::Verification{std::fabs((*outputs)[turn.output].download()[3] - expected),
                                    1e-6, checked()};
      };
      workload.bits = [outputs](std::size_t output) {
        return std::as_bytes(std::span((*outputs)[output].data(), 4));
      };
      workload.inputs_key = [](std::size_t set) { return std::to_string(set); };
      return workload;
    };
    Experiment experiment(make, Setup{device, inputs, *group}, options);
    elapsed = 0;
    return experiment;
  }
};

inline double noisy(std::int64_t execution, double sigma) {
  return 100e3 * (1 + sigma * device::random_uniform(7, static_cast<std::uint64_t>(execution)));
}

}  // namespace ridgeline::measure
