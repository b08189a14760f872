#include "harness/device/cpu/cpu_device.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
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
  CpuBatch(std::function<void(Stream&)> launches, Stream& stream)
      : launches_(std::move(launches)), stream_(stream) {}

  double run_ns() override {
    const auto start = std::chrono::steady_clock::now();
    launches_(stream_);
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
        .count();
  }

 private:
  std::function<void(Stream&)> launches_;
  Stream& stream_;
};

class CpuDevice final : public HostDevice {
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

  std::unique_ptr<Batch> record(std::function<void(Stream&)> launches, Launch) override {
    return std::make_unique<CpuBatch>(std::move(launches), stream_);
  }
  Reading read_sensors() override { return sensors_.read(); }

 private:
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
  Sensors sensors_{cpus_.front()};
};

}  // namespace

std::unique_ptr<Device> open() { return std::make_unique<CpuDevice>(); }

}  // namespace ridgeline::device::cpu
