#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "harness/device/counts.hpp"
#include "harness/emulated/report.hpp"

namespace ridgeline::emulated {

/// "global load": as device::SiteCount calls an access.
std::string access_name(Space space, Act act);

/// Adds up launches until somebody asks what they did.
class Counting {
 public:
  void add(const Report& report);
  /// Of all launches since the last call, with names and lines in place of addresses.
  device::Counts take();

 private:
  /// Kernel, pc, and what is done there.
  using Place = std::tuple<std::uint64_t, std::uint32_t, Space, Act, int>;
  std::map<Place, Site> sites_;
  struct Launched {
    std::uint64_t kernel = 0;
    device::LaunchCount count;  // without names
  };
  std::vector<Launched> launched_;
  device::Counts counts_;  // without sites and kernels
};

}  // namespace ridgeline::emulated
