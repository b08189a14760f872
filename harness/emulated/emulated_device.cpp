#include "harness/emulated/emulated_device.hpp"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/device/cpu/host_memory.hpp"
#include "harness/device/failure.hpp"
#include "harness/emulated/counting.hpp"
#include "harness/emulated/finding_text.hpp"
#include "harness/emulated/kernel_resources.hpp"
#include "harness/emulated/machine.hpp"
#include "harness/emulated/results_digest.hpp"

namespace ridgeline::emulated {
namespace {

class UntimedBatch final : public device::Batch {
 public:
  double run_ns() override {
    throw Error(ErrorKind::usage, "the emulated device has no times",
                "it counts: see docs/emulated-device.md");
  }
};

std::vector<std::string>& notes() {
  static std::vector<std::string> all;
  return all;
}

class EmulatedDevice final : public device::Device {
 public:
  EmulatedDevice(const Limits& limits, const Settings& settings)
      : facts_(emulated::facts(limits)),
        machine_(limits, settings),
        stream_{&machine_},
        checks_downloads_(settings.checks_downloads) {
    take_host_accesses();  // to memory of another device
  }
  ~EmulatedDevice() override { keeper().reset(); }

  const device::Facts& facts() const override { return facts_; }

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
    if (bytes == 0) return;
    std::memcpy(to_host, from, bytes);
    if (!checks_downloads_) return;
    ResultsDigest::add(from, bytes);
    if (const auto missing = machine_.memory().first_unwritten(from, bytes))
      throw device::KernelMistake(
          "uninitialised (download): " + machine_.memory().describe(*missing) +
          ": the host reads what nobody has written");
  }
  void fill(void* to, DType dtype, std::size_t count, device::Distribution distribution,
            std::uint64_t seed, std::uint64_t first) override {
    device::cpu::fill_host(to, dtype, count, distribution, seed, first);
    machine_.memory().mark(to, count * size_of(dtype), true);
  }
  void poison(void* memory, std::size_t bytes) override {
    if (bytes == 0) return;
    std::memset(memory, 0xFF, bytes);
    machine_.memory().mark(memory, bytes, false);  // a kernel that reads it is wrong
  }

  device::Stream& stream() override { return stream_; }
  void synchronize() override {
    const std::vector<Report> reports = machine_.take_reports();
    for (const Report& report : reports)
      if (report.findings.empty()) counting_.add(report);  // counts of a wrong kernel mean nothing
    for (const Report& report : reports) {
      throw_findings(report);
      for (const Finding& note : report.notes) notes().push_back(text_of(report, note));
    }
    const std::vector<HostAccess> of_host = take_host_accesses();
    if (!of_host.empty())
      throw device::KernelMistake(text_of(of_host.front(), machine_.memory()),
                                  "copy it with download() or upload()");
  }
  device::Counts take_counts() override {
    device::Counts counts = counting_.take();
    add_resources(counts.kernels, facts_);
    return counts;
  }
  std::unique_ptr<device::Batch> record(std::function<void(device::Stream&)>,
                                        device::Launch) override {
    return std::make_unique<UntimedBatch>();
  }
  device::Reading read_sensors() override { return {}; }

 private:
  device::Facts facts_;
  Machine machine_;
  device::Stream stream_;
  Counting counting_;
  std::uint64_t buffers_ = 0;
  const bool checks_downloads_;
};

}  // namespace

device::Facts facts(const Limits& limits) {
  device::Facts facts;
  facts.kind = device::Kind::emulated;
  facts.id = fmt::format("emulated:sm_{}", limits.capability);
  facts.model = fmt::format("emulated-sm{}", limits.capability);
  facts.name = fmt::format("Emulated sm_{}", limits.capability);
  facts.uuid = facts.model;
  // Of the host's; kernels that are verified here need little.
  facts.memory = facts.memory_free = std::uint64_t{8} << 30;
  facts.capability = limits.capability;
  facts.warp_size = 32;
  facts.units = limits.units;
  facts.l1 = limits.l1_bytes;
  facts.l2 = facts.last_level_cache = limits.l2_bytes;
  facts.max_threads_per_unit = limits.threads_per_unit;
  facts.max_threads_per_block = limits.threads;
  facts.max_blocks_per_unit = limits.blocks_per_unit;
  facts.registers_per_unit = limits.registers_per_unit;
  facts.shared_per_unit = limits.shared_per_unit;
  facts.shared_per_block = limits.shared_bytes;
  // Counts are of its code.
  facts.comparable = {{"model", facts.name}, {"compiler", "g++ " __VERSION__}};
  return facts;
}

std::vector<std::string> take_notes() { return std::exchange(notes(), {}); }

std::unique_ptr<device::Device> open(const Limits& limits, const Settings& settings) {
  return std::make_unique<EmulatedDevice>(limits, settings);
}

}  // namespace ridgeline::emulated
