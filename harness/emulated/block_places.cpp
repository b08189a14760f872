#include <fmt/core.h>

#include "harness/emulated/block.hpp"

// Where addresses of shared memory lie: in variables, for messages, and in the window that descriptors speak of.
namespace ridgeline::emulated {
namespace {

// The swizzles of the asynchronous unit are made of addresses, so the window keeps their lower bits.
constexpr std::uint64_t pattern = 1024;

}  // namespace

Block::SharedPlace Block::place_of(std::uint64_t address) const {
  const auto dynamic = reinterpret_cast<std::uint64_t>(dynamic_);
  if (address - static_shared_ < variables_.bytes()) {
    const SharedVariables::Variable* const variable = variables_.at(address - static_shared_);
    SharedPlace place{"a variable without a name", static_shared_, static_shared_, 0 - static_shared_, true};
    if (variable == nullptr) return place;
    place.name = variable->name;
    place.begin = static_shared_ + variable->offset;
    place.end = place.begin + variable->bytes;
    return place;
  }
  if (address - dynamic < limits_.shared_bytes + 4096)
    return {"dynamic shared memory", dynamic, dynamic + config_.shared_bytes, static_bytes_ - dynamic, true};
  return {};
}

std::string Block::describe_shared(std::uint64_t address) const {
  const SharedPlace place = place_of(address);
  if (!place.is_shared) return fmt::format("{:#x}", address);
  return fmt::format("{} {} {}", place.name, address < place.begin ? "-" : "+",
                     address < place.begin ? place.begin - address : address - place.begin);
}

std::uint64_t Block::window_of(std::uint64_t address) const {
  const auto dynamic = reinterpret_cast<std::uint64_t>(dynamic_);
  if (address - dynamic < limits_.shared_bytes + 4096) return pattern + dynamic % pattern + (address - dynamic);
  if (address - static_shared_ >= variables_.bytes()) return ~std::uint64_t{0};
  return static_window() + (address - static_shared_);
}

std::uint64_t Block::address_of(std::uint32_t window) const {
  if (window >= static_window()) return static_shared_ + (window - static_window());
  const auto dynamic = reinterpret_cast<std::uint64_t>(dynamic_);
  return dynamic + window - (pattern + dynamic % pattern);
}

/// Where static variables begin: behind the most dynamic memory there can be.
std::uint64_t Block::static_window() const {
  return (limits_.shared_bytes + 4096 + 3 * pattern) / pattern * pattern + static_shared_ % pattern;
}

}  // namespace ridgeline::emulated
