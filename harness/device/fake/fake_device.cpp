#include "harness/device/fake/fake_device.hpp"

#include <cstdlib>

#include <fmt/core.h>

#include "harness/base/error.hpp"

namespace ridgeline::device {
namespace {

class FakeBatch final : public Batch {
 public:
  FakeBatch(std::function<void()> launches, std::function<double()> elapsed_ns)
      : launches_(std::move(launches)), elapsed_ns_(std::move(elapsed_ns)) {}
  double run_ns() override {
    launches_();
    return elapsed_ns_();
  }

 private:
  std::function<void()> launches_;
  std::function<double()> elapsed_ns_;
};

Facts synthetic_facts(std::uint64_t memory, bool counts) {
  Facts facts;
  facts.kind = Kind::fake;
  facts.id = "fake";
  facts.model = "synthetic-fake";
  facts.name = "Synthetic Fake";
  facts.uuid = "FAKE-0000000000000000";
  facts.memory = memory;
  facts.memory_free = memory;
  facts.l1 = 32u << 10;
  facts.l2 = 256u << 10;
  facts.last_level_cache = 1u << 20;
  facts.units = 2;
  facts.simd = "none";
  facts.properties = {{"cores", "2"}};
  facts.comparable = {{"model", facts.name}};
  facts.recorded = {{"host", "synthetic"}};
  if (counts) {
    facts.kind = Kind::emulated;
    facts.id = "emulated:fake";
    facts.model = "synthetic-emulated";
    facts.name = "Synthetic Emulated";
    facts.uuid = "EMULATED-0000000000000000";
    facts.comparable = {{"model", facts.name}, {"compiler", "synthetic 1.0"}};
  }
  return facts;
}

}  // namespace

FakeDevice::FakeDevice(FakeScript script)
    : script_(std::move(script)),
      facts_(synthetic_facts(script_.memory, script_.counts != nullptr)) {}

FakeDevice::~FakeDevice() {
  for (const auto& [memory, bytes] : sizes_) std::free(memory);
}

void* FakeDevice::allocate(std::size_t bytes) {
  if (bytes > script_.memory - bytes_)
    throw OutOfMemory(
        fmt::format("allocating {} bytes on {} failed: out of memory", bytes, facts_.id));
  void* const memory = HostDevice::allocate(bytes);
  sizes_.emplace(memory, bytes);
  bytes_ += bytes;
  return memory;
}

void FakeDevice::release(void* memory) noexcept {
  const auto found = sizes_.find(memory);
  if (found == sizes_.end()) std::abort();  // freed twice, or never allocated here
  bytes_ -= found->second;
  sizes_.erase(found);
  HostDevice::release(memory);
}

std::unique_ptr<Batch> FakeDevice::record(std::function<void(Stream&)> launches, Launch) {
  return std::make_unique<FakeBatch>([this, launches = std::move(launches)] { launches(stream_); },
                                     [this] { return script_.elapsed_ns(batches_++); });
}

}  // namespace ridgeline::device
