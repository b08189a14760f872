#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/base/json.hpp"

namespace ridgeline::present {

/// Places in ascending order as stretches, [first, last] each: of most cases there are most runs,
/// or nights.
class Stretches {
 public:
  void add(std::uint32_t place) {
    if (!stretches_.empty() && stretches_.back().back() + 1 == place)
      stretches_.back().back() = place;
    else
      stretches_.push_back({place, place});
  }
  json::Value to_json() const {
    return json::list(stretches_, [](const auto& one) { return json::Value{one[0], one[1]}; });
  }

 private:
  std::vector<std::array<std::uint32_t, 2>> stretches_;
};

}  // namespace ridgeline::present
