#include "harness/emulated/shared_memory.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/core.h>

#include "harness/base/error.hpp"

namespace ridgeline::emulated {
namespace {

constexpr std::size_t promised_alignment = 128;  // of dynamic shared memory, by
                                                 // RIDGELINE_DYNAMIC_SHARED
// The swizzles of the asynchronous unit are made of addresses, so the window keeps their lower
// bits.
constexpr std::uint64_t pattern = 1024;

}  // namespace

SharedMemory::SharedMemory(const SharedVariables& variables, std::size_t most_bytes)
    : history((variables.bytes() + 15) / 16 * 16 + most_bytes),
      variables_(variables),
      static_bytes_((variables.bytes() + 15) / 16 * 16),
      span_(most_bytes + 4096),
      dynamic_(static_cast<std::byte*>(
          std::aligned_alloc(4096, (most_bytes + 4095) / 4096 * 4096 + 8192))) {
  if (dynamic_ == nullptr)
    throw OutOfMemory("allocating shared memory for the emulated device failed: out of memory");
  dynamic_ += promised_alignment;  // and no more, so that a kernel that relies on more is noticed
}

SharedMemory::~SharedMemory() { std::free(dynamic_ - promised_alignment); }

std::string SharedMemory::describe(std::uint64_t address) const {
  const Place place = place_of(address);
  if (!place.is_shared) return fmt::format("{:#x}", address);
  return fmt::format("{} {} {}", place.name, address < place.begin ? "-" : "+",
                     address < place.begin ? place.begin - address : address - place.begin);
}

SharedMemory::Place SharedMemory::nearest(std::uint64_t offset) const {
  const SharedVariables::Variable* const found = variables_.nearest(offset);
  if (found == nullptr) return {"a variable without a name", static_, static_, true};
  const std::uint64_t begin = static_ + found->offset;
  return {found->name, begin, begin + found->bytes, true};
}

bool SharedMemory::is_near(std::uint64_t address) const {
  constexpr std::uint64_t near = std::uint64_t{1} << 20;
  return address - (static_ - near) < variables_.bytes() + 2 * near ||
         (dynamic_bytes_ != 0 && address - (dynamic_begin() - near) < span_ + 2 * near);
}

bool SharedMemory::is_unasked(std::uint64_t address) const {
  return dynamic_bytes_ == 0 && address - dynamic_begin() < span_;
}

std::string SharedMemory::describe(std::uint64_t address, int bytes) const {
  Place place = place_of(address);
  if (!place.is_shared) {
    // Beside static variables, or beside dynamic shared memory.
    const std::uint64_t from_static =
        std::min(static_ - address, address - (static_ + variables_.bytes()));
    const std::uint64_t from_dynamic =
        std::min(dynamic_begin() - address, address - (dynamic_begin() + dynamic_bytes_));
    place = dynamic_bytes_ != 0 && from_dynamic < from_static
                ? Place{"dynamic shared memory", dynamic_begin(), dynamic_begin() + dynamic_bytes_,
                        true}
                : nearest(address < static_ ? 0 : variables_.bytes());
  }
  const auto offset = static_cast<std::int64_t>(address - place.begin);
  std::string text = fmt::format("{} of {} bytes {} {}", place.name, place.end - place.begin,
                                 offset < 0 ? "-" : "+", offset < 0 ? -offset : offset);
  if (offset % bytes == 0)
    text += fmt::format(" (index {} of elements of {} bytes)", offset / bytes, bytes);
  return text;
}

bool SharedMemory::holds(std::uint64_t address, int bytes) const {
  const std::uint64_t end = address + static_cast<std::uint64_t>(bytes);
  return (address >= static_ && end <= static_ + variables_.bytes()) ||
         (address >= dynamic_begin() && end <= dynamic_begin() + dynamic_bytes_);
}

std::uint64_t SharedMemory::window_of(std::uint64_t address) const {
  if (address - dynamic_begin() < span_)
    return pattern + dynamic_begin() % pattern + (address - dynamic_begin());
  if (address - static_ >= variables_.bytes()) return ~std::uint64_t{0};
  return static_window() + (address - static_);
}

std::uint64_t SharedMemory::address_of(std::uint32_t window) const {
  if (window >= static_window()) return static_ + (window - static_window());
  return dynamic_begin() + window - (pattern + dynamic_begin() % pattern);
}

/// Where static variables begin: behind the most dynamic memory there can be.
std::uint64_t SharedMemory::static_window() const {
  return (span_ + 3 * pattern) / pattern * pattern + static_ % pattern;
}

}  // namespace ridgeline::emulated
