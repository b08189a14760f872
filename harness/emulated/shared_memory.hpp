#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "harness/emulated/shared_history.hpp"
#include "harness/emulated/shared_variables.hpp"

namespace ridgeline::emulated {

/// The shared memory of the block that runs on this OS thread: where its variables lie, and who
/// touched them.
class SharedMemory {
 public:
  /// At most `most_bytes` of it are dynamic.
  SharedMemory(const SharedVariables& variables, std::size_t most_bytes);
  SharedMemory(const SharedMemory&) = delete;
  ~SharedMemory();

  /// On the OS thread that launches.
  void begin_launch(std::size_t dynamic_bytes) {
    static_ = thread_local_base();
    dynamic_bytes_ = dynamic_bytes;
  }
  std::byte* dynamic() const { return dynamic_; }

  /// The variable that an address lies in.
  struct Place {
    std::string_view name;
    std::uint64_t begin = 0, end = 0;
    bool is_shared = false, is_guard = false;  // see SharedVariables::Variable
  };
  Place place_of(std::uint64_t address) const {
    const std::uint64_t offset = address - static_;
    if (offset < variables_.bytes()) {
      const auto is_in = [&](const auto* known) {
        return known != nullptr && offset - known->offset < known->bytes;
      };
      if (!is_in(last_))
        std::swap(last_, before_);  // kernels often go from one tile to another and back
      if (!is_in(last_)) last_ = variables_.at(offset);
      if (last_ == nullptr) return nearest(offset);
      const std::uint64_t begin = static_ + last_->offset;
      return {last_->name, begin, begin + last_->bytes, true, last_->is_guard};
    }
    if (address - dynamic_begin() >= span_) return {};
    return {"dynamic shared memory", dynamic_begin(), dynamic_begin() + dynamic_bytes_, true};
  }
  std::string describe(std::uint64_t address) const;  // "full + 8"
  /// A number that the variable has in every block, from 1.
  std::uint64_t variable_of(std::uint64_t address) const {
    return 1 + offset_of(place_of(address).begin);
  }
  /// "full of 16 bytes + 8 (index 1 of elements of 8 bytes)": of an access, also of one that lies
  /// beside the variable.
  std::string describe(std::uint64_t address, int bytes) const;
  /// Whether the address is near enough to shared memory for an index that is out of its range to
  /// have led there.
  bool is_near(std::uint64_t address) const;
  /// Whether it lies where dynamic shared memory would begin, of which the launch has none.
  bool is_unasked(std::uint64_t address) const;
  /// Tells hot of it.
  void show(Hot& to) const {
    to.shared = static_;
    to.shared_bytes = variables_.bytes();
    to.room = variables_.room();
    to.dynamic = dynamic_begin();
    to.dynamic_bytes = dynamic_bytes_;
  }
  bool holds(std::uint64_t address, int bytes) const;
  /// Where the history keeps a shared address, and the reverse: the same for all blocks.
  std::uint64_t offset_of(std::uint64_t address) const {
    return address - static_ < variables_.bytes() ? address - static_
                                                  : address - dynamic_begin() + static_bytes_;
  }
  std::uint64_t at_offset(std::uint64_t offset) const {
    return offset < static_bytes_ ? static_ + offset : dynamic_begin() + (offset - static_bytes_);
  }
  /// Addresses as descriptors have them, which begin with dynamic shared memory.
  std::uint64_t window_of(std::uint64_t address) const;
  std::uint64_t address_of(std::uint32_t window) const;

  SharedHistory history;

 private:
  std::uint64_t dynamic_begin() const { return reinterpret_cast<std::uint64_t>(dynamic_); }
  std::uint64_t static_window() const;
  /// The variable that is nearest to an offset that lies in none.
  Place nearest(std::uint64_t offset) const;

  const SharedVariables& variables_;
  // Where the variables of the OS thread begin; of the first Block that is whoever launches.
  std::uint64_t static_ = thread_local_base();
  const std::size_t static_bytes_;  // rounded up to whole words of 16 bytes
  const std::size_t span_;          // of addresses that are said to be dynamic
  std::byte* dynamic_;
  std::size_t dynamic_bytes_ = 0;
  // That were asked for.
  mutable const SharedVariables::Variable *last_ = nullptr, *before_ = nullptr;
};

}  // namespace ridgeline::emulated
