#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <utility>

#include "harness/device/buffer.hpp"
#include "harness/device/device.hpp"
#include "kernels/key.hpp"

namespace ridgeline::kernels {

using Scratch = device::Buffer<std::byte>;

/// Results in a device's memory, by what they were computed for, as long as there is room: at most
/// an eighth of the device's memory. The one that was used least recently goes first, and all go
/// when an allocation fails. So does the memory that is needed while something is computed.
class Kept final : public device::Keeper {
 public:
  explicit Kept(std::size_t most_bytes) : most_(most_bytes) {}

  /// Of `device`, as long as it is open.
  static Kept& of(device::Device& device) {
    auto* kept = dynamic_cast<Kept*>(device.keeper().get());
    if (kept == nullptr) {
      device.keeper() = std::make_unique<Kept>(device.facts().memory / 8);
      kept = static_cast<Kept*>(device.keeper().get());
    }
    return *kept;
  }

  /// What `compute` gave for `key` earlier, or gives now. Value has bytes(): what it holds.
  template <class Value>
  std::shared_ptr<const Value> get(const std::string& key, const std::function<Value()>& compute) {
    const auto found = std::ranges::find(entries_, key, &Entry::key);
    if (found != entries_.end()) {
      entries_.splice(entries_.begin(), entries_, found);
      return std::static_pointer_cast<const Value>(entries_.front().value);
    }
    const auto value = std::make_shared<const Value>(compute());  // which may ask to give back
    if (value->bytes() > most_) return value;
    held_ += value->bytes();
    entries_.push_front({key, value, value->bytes()});
    while (held_ > most_) drop(std::prev(entries_.end()));
    return value;
  }

  /// At least so many bytes, in which anything may stand: the same memory for one user after the
  /// other, since allocating waits for a GPU and takes as long as a comparison.
  std::shared_ptr<const Scratch> scratch(device::Device& device, std::size_t bytes) {
    if (scratch_.use_count() > 1) return std::make_shared<const Scratch>(device, bytes);
    if (scratch_ == nullptr || scratch_->bytes() < bytes) {
      scratch_.reset();  // before there is another
      scratch_ = std::make_shared<const Scratch>(device, bytes);
    }
    return scratch_;
  }

  /// What somebody uses stays in memory until then, but is found no more.
  bool give_back() noexcept override {
    const bool any = bytes() > 0;
    entries_.clear();
    held_ = 0;
    scratch_.reset();
    return any;
  }
  std::size_t bytes() const override {
    return held_ + (scratch_ == nullptr ? 0 : scratch_->bytes());
  }

 private:
  struct Entry {
    std::string key;  // begins with the family and what is kept, so that its type is known
    std::shared_ptr<const void> value;
    std::size_t bytes;
  };
  void drop(std::list<Entry>::iterator entry) {
    held_ -= entry->bytes;
    entries_.erase(entry);
  }

  std::size_t most_, held_ = 0;
  std::list<Entry> entries_;  // used last, first
  std::shared_ptr<const Scratch> scratch_;
};

}  // namespace ridgeline::kernels
