#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

#include "harness/device/cpu/host_memory.hpp"

namespace ridgeline::device {

/// What a FakeDevice says of itself. Both functions get how often they were asked before, over the
/// life of the device.
struct FakeScript {
  /// Time of the batch that has just been executed, in ns. It may throw, as a device does that
  /// fails.
  std::function<double(std::int64_t batch)> elapsed_ns = [](std::int64_t) { return 1000.0; };
  std::function<Reading(std::int64_t reading)> reading = [](std::int64_t) { return Reading{}; };
  std::uint64_t memory = 1ull << 30;  // allocations beyond it throw
  /// When set, the device is one that counts, model `synthetic-emulated`, and this is what it has
  /// counted each time it is asked.
  std::function<Counts()> counts = {};
};

/// A device for tests, model `synthetic-fake` unless it counts: launches really run, on host
/// memory, so outputs can be verified; times and sensors come from a script, so that what is made
/// of them can be checked to the digit.
class FakeDevice : public cpu::HostDevice {
 public:
  explicit FakeDevice(FakeScript script = {});
  ~FakeDevice() override;

  const Facts& facts() const override { return facts_; }
  void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  std::unique_ptr<Batch> record(std::function<void(Stream&)> launches, Launch mode) override;
  Counts take_counts() override { return script_.counts ? script_.counts() : Counts{}; }
  Reading read_sensors() override { return script_.reading(readings_++); }
  std::optional<std::uint64_t> memory_in_use() override { return bytes_; }

  std::size_t allocations() const { return sizes_.size(); }  // that have not been released
  std::uint64_t bytes_allocated() const { return bytes_; }

 private:
  FakeScript script_;
  Facts facts_;
  std::map<void*, std::size_t> sizes_;
  std::uint64_t bytes_ = 0;
  std::int64_t batches_ = 0, readings_ = 0;
};

}  // namespace ridgeline::device
