#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "harness/device/device.hpp"

/// Host memory as a Device hands it out. Filling and poisoning run on OpenMP's threads in static
/// shares, as the kernels do, so that the thread that touches a page first is the one that works on
/// it later.
namespace ridgeline::device::cpu {

void fill_host(void* to, DType dtype, std::size_t count, Distribution distribution,
               std::uint64_t seed, std::uint64_t first);

/// A device whose memory is the host's, and whose launches run at once.
class HostDevice : public Device {
 public:
  void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override { std::free(memory); }
  void upload(void* to, const void* from_host, std::size_t bytes) override {
    copy(to, from_host, bytes);
  }
  void download(void* to_host, const void* from, std::size_t bytes) override {
    copy(to_host, from, bytes);
  }
  void fill(void* to, DType dtype, std::size_t count, Distribution distribution, std::uint64_t seed,
            std::uint64_t first) override {
    fill_host(to, dtype, count, distribution, seed, first);
  }
  void poison(void* memory, std::size_t bytes) override;
  Stream& stream() override { return stream_; }
  void synchronize() override {}
  void reach(Device&) override {}  // all such memory is the host's

 protected:
  Stream stream_;

 private:
  static void copy(void* to, const void* from, std::size_t bytes) {
    if (bytes != 0) std::memcpy(to, from, bytes);
  }
};

}  // namespace ridgeline::device::cpu
