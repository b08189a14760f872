#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "harness/device/device.hpp"

namespace ridgeline::device {

/// `count` elements of T in a device's memory, freed with the Buffer. Contents are not initialised.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(Device& device, std::size_t count)
      : device_(&device),
        data_(static_cast<T*>(device.allocate(count * sizeof(T)))),
        count_(count) {}
  Buffer(Device& device, const std::vector<T>& host) : Buffer(device, host.size()) {
    device.upload(data_, host.data(), bytes());
  }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer() {
    if (data_ != nullptr) device_->release(data_);
  }

  T* data() const { return data_; }
  std::size_t size() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }

  void poison() { device_->poison(data_, bytes()); }
  std::vector<T> download() const {
    std::vector<T> host(count_);
    device_->download(host.data(), data_, bytes());
    return host;
  }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
  }
  Device* device_ = nullptr;
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace ridgeline::device
