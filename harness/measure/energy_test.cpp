#include "harness/measure/energy.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include <gtest/gtest.h>

#include "harness/measure/experiment_fixture.hpp"

namespace ridgeline::measure {
namespace energy_test {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

/// Executes one batch after the other, each execution for a millisecond, while the host goes on. It
/// takes 500 W, but none at rest; whoever asks waits for as long as a driver lets him wait.
class BusyDevice final : public device::FakeDevice {
 public:
  std::unique_ptr<device::Batch> record(std::function<void(device::Stream&)> launches,
                                        device::Launch mode) override {
    return std::make_unique<Queued>(*this, FakeDevice::record(std::move(launches), mode));
  }
  std::optional<double> read_energy_j() override {
    std::this_thread::sleep_for(Milliseconds(8));
    const Clock::time_point now = Clock::now();
    const double busy_ms = busy_ms_ - std::max(Milliseconds(until_ - now).count(), 0.0);
    return std::floor(0.5 * busy_ms / 5) * 5;  // in steps of 5 J
  }
  double launched = 0;

 private:
  class Queued final : public device::Batch {
   public:
    Queued(BusyDevice& on, std::unique_ptr<device::Batch> launches)
        : on_(on), launches_(std::move(launches)) {}
    double run_ns() override {
      start();
      wait();
      return 1;
    }
    void start() override {
      const double before = on_.launched;
      launches_->run_ns();
      const double ms = on_.launched - before;
      const auto time = std::chrono::duration_cast<Clock::duration>(Milliseconds(ms));
      end_ = on_.until_ = std::max(on_.until_, Clock::now()) + time;
      on_.busy_ms_ += ms;
    }
    void wait() override { std::this_thread::sleep_until(end_); }

   private:
    BusyDevice& on_;
    std::unique_ptr<device::Batch> launches_;
    Clock::time_point end_;
  };
  Clock::time_point until_ = Clock::now();
  double busy_ms_ = 0;
};

TEST(Energy, TheDeviceDoesNotWaitForAHostThatReadsSlowly) {
  BusyDevice device;
  InputPool inputs{device, 1};
  Group alone;
  Workload workload;
  workload.sets = {2, 2};
  workload.launch = [&](Turn, device::Stream&) { device.launched += 1; };
  PrepareOptions options;
  options.energy_budget_ns = 400e6;
  const std::optional<Sustained> found =
      execute_without_pause(measure::Setup{device, inputs, alone}, workload, options, 1e6);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->seconds / found->executions, 1e-3, 0.1e-3);
  EXPECT_NEAR(found->energy_j / found->seconds, 500, 60);
}

}  // namespace energy_test
}  // namespace ridgeline::measure
