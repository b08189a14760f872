#include "harness/device/emulated/emulated_device.hpp"

#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/device/cpu/host_memory.hpp"
#include "harness/device/emulated/counting.hpp"
#include "harness/device/emulated/finding_text.hpp"
#include "harness/device/emulated/kernel_resources.hpp"

namespace ridgeline::device::emulated {
namespace {

class UntimedBatch final : public Batch {
 public:
  double run_ns() override {
    throw Error(ErrorKind::usage, "the emulated device has no times", "it counts: see docs/emulated-device.md");
  }
};

class EmulatedDevice final : public Device {
 public:
  EmulatedDevice(Facts facts, const Settings& settings)
      : facts_(std::move(facts)),
        machine_({.threads = facts_.max_threads_per_block,
                  .shared_bytes = facts_.shared_per_block,
                  .l2_bytes = facts_.l2,
                  .cluster_blocks = facts_.capability >= 90 ? 8 : 1,
                  .units = facts_.units,
                  .threads_per_unit = facts_.max_threads_per_unit,
                  .blocks_per_unit = facts_.max_blocks_per_unit,
                  .shared_per_unit = facts_.shared_per_unit},
                 settings),
        stream_{&machine_} {}

  const Facts& facts() const override { return facts_; }

  void* allocate(std::size_t bytes) override {
    return machine_.memory().allocate(bytes, fmt::format("buffer {}", ++buffers_));
  }
  void release(void* memory) noexcept override { machine_.memory().release(memory); }
  void upload(void* to, const void* from_host, std::size_t bytes) override {
    if (bytes == 0) return;
    std::memcpy(to, from_host, bytes);
    machine_.memory().mark(to, bytes, true);
  }
  void download(void* to_host, const void* from, std::size_t bytes) override {
    if (bytes != 0) std::memcpy(to_host, from, bytes);
  }
  void fill(void* to, DType dtype, std::size_t count, Distribution distribution, std::uint64_t seed,
            std::uint64_t first) override {
    cpu::fill_host(to, dtype, count, distribution, seed, first);
    machine_.memory().mark(to, count * size_of(dtype), true);
  }
  void poison(void* memory, std::size_t bytes) override {
    if (bytes == 0) return;
    std::memset(memory, 0xFF, bytes);
    machine_.memory().mark(memory, bytes, false);  // a kernel that reads it is wrong
  }

  Stream& stream() override { return stream_; }
  void synchronize() override {
    const std::vector<Report> reports = machine_.take_reports();
    for (const Report& report : reports)
      if (report.findings.empty()) counting_.add(report);  // counts of a wrong kernel mean nothing
    for (const Report& report : reports) throw_findings(report);
  }
  Counts take_counts() override {
    Counts counts = counting_.take();
    add_resources(counts.kernels, facts_);
    return counts;
  }
  std::unique_ptr<Batch> record(std::function<void(Stream&)>, Launch) override {
    return std::make_unique<UntimedBatch>();
  }
  Reading read_sensors() override { return {}; }

 private:
  Facts facts_;
  Machine machine_;
  Stream stream_;
  Counting counting_;
  std::uint64_t buffers_ = 0;
};

}  // namespace

Facts facts(int capability) {
  if (capability != 80 && capability != 90)
    throw Error(ErrorKind::usage, fmt::format("there is no emulated device of compute capability {}", capability),
                "there are emulated:sm_80 and emulated:sm_90");
  const bool hopper = capability == 90;
  Facts facts;
  facts.kind = Kind::emulated;
  facts.id = fmt::format("emulated:sm_{}", capability);
  facts.model = fmt::format("emulated-sm{}", capability);
  facts.name = fmt::format("Emulated sm_{}", capability);
  facts.uuid = facts.model;
  facts.memory = facts.memory_free = std::uint64_t{8}
                                     << 30;  // of the host's; kernels that are verified here need little
  // Source: CUDA C++ Programming Guide, "Compute Capabilities": technical specifications per compute capability.
  facts.capability = capability;
  facts.warp_size = 32;
  facts.units = hopper ? 132 : 108;
  facts.l1 = (hopper ? 256u : 192u) << 10;
  facts.l2 = facts.last_level_cache = std::uint64_t{hopper ? 50u : 40u} << 20;
  facts.max_threads_per_unit = 2048;
  facts.max_threads_per_block = 1024;
  facts.max_blocks_per_unit = 32;
  facts.registers_per_unit = 65536;
  facts.shared_per_unit = (hopper ? 228u : 164u) << 10;
  facts.shared_per_block = (hopper ? 227u : 163u) << 10;
  facts.comparable = {{"model", facts.name}, {"compiler", "g++ " __VERSION__}};  // counts are of its code
  return facts;
}

std::unique_ptr<Device> open(int capability, const Settings& settings) {
  return std::make_unique<EmulatedDevice>(facts(capability), settings);
}

}  // namespace ridgeline::device::emulated
