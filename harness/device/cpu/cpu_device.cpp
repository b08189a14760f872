#include "harness/device/cpu/cpu_device.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <omp.h>

#include "harness/base/error.hpp"
#include "harness/device/cpu/affinity.hpp"
#include "harness/device/cpu/cpu_facts.hpp"
#include "harness/device/cpu/cpu_sensors.hpp"
#include "harness/device/cpu/host_memory.hpp"

namespace ridgeline::device::cpu {
namespace {

class CpuBatch final : public Batch {
 public:
  CpuBatch(std::function<void(Stream&)> launches, Stream& stream) : launches_(std::move(launches)), stream_(stream) {}

  double run_ns() override {
    const auto start = std::chrono::steady_clock::now();
    launches_(stream_);
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  std::function<void(Stream&)> launches_;
  Stream& stream_;
};

class CpuDevice final : public Device {
 public:
  CpuDevice() : facts_(cpu::facts()), mask_(allowed_cpus()), cpus_(one_a_core(mask_)) {
    cpus_.resize(std::min(cpus_.size(), static_cast<std::size_t>(facts_.units)));
    omp_set_num_threads(static_cast<int>(cpus_.size()));
    if (omp_get_proc_bind() == omp_proc_bind_false) pin_threads();
  }
  ~CpuDevice() override {
    if (pinned_) allow_cpus(mask_);
  }

  const Facts& facts() const override { return facts_; }

  void* allocate(std::size_t bytes) override { return allocate_host(bytes); }
  void release(void* memory) noexcept override { std::free(memory); }
  void upload(void* to, const void* from_host, std::size_t bytes) override { copy(to, from_host, bytes); }
  void download(void* to_host, const void* from, std::size_t bytes) override { copy(to_host, from, bytes); }

  void fill(void* to, DType dtype, std::size_t count, Distribution distribution, std::uint64_t seed,
            std::uint64_t first) override {
    fill_host(to, dtype, count, distribution, seed, first);
  }
  void poison(void* memory, std::size_t bytes) override { set_host_bytes(memory, 0xFF, bytes); }

  Stream& stream() override { return stream_; }
  void synchronize() override {}
  std::unique_ptr<Batch> record(std::function<void(Stream&)> launches, Launch) override {
    return std::make_unique<CpuBatch>(std::move(launches), stream_);
  }
  Reading read_sensors() override { return sensors_.read(); }

 private:
  static void copy(void* to, const void* from, std::size_t bytes) {
    if (bytes != 0) std::memcpy(to, from, bytes);
  }

  void pin_threads() {
    std::atomic<bool> all{true};
#pragma omp parallel
    if (!allow_cpus({cpus_[static_cast<std::size_t>(omp_get_thread_num())]})) all = false;
    pinned_ = true;
    if (!all) throw Error(ErrorKind::internal, "pinning the OpenMP threads to cores failed");
  }

  const Facts& facts_;
  std::vector<int> mask_, cpus_;
  bool pinned_ = false;
  Stream stream_;
  Sensors sensors_{cpus_.front()};
};

}  // namespace

std::unique_ptr<Device> open() { return std::make_unique<CpuDevice>(); }

}  // namespace ridgeline::device::cpu
