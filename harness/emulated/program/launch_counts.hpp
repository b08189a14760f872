#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "harness/emulated/report.hpp"

namespace ridgeline::program {

/// An access of a kernel of which one launch needs more sectors or wavefronts per request than
/// another, though it asks for no more in a request.
struct VaryingAccess {
  std::string kernel, file;
  int line = 0;
  std::string access;  // "global load"
  int lane_bytes = 0;
  std::string unit;  // "sectors"
  std::uint64_t launches = 0;
  struct Of {
    std::uint64_t launch = 0;  // its number in the program, from 1
    std::string sizes;         // "<<<8, 64>>>"
    double per_request = 0;
  } most, least;  // per request, and per lane
};

/// Compares what the launches of each kernel need, of which the counts of all launches together say
/// nothing.
class LaunchCounts {
 public:
  /// `launch`: its number in the program; `sizes`: of its grid and block.
  void add(const emulated::Report& report, std::uint64_t launch, const std::string& sizes);
  /// By kernel and line; of several accesses of one line the one that varies most.
  std::vector<VaryingAccess> varying() const;

 private:
  struct Of {
    std::uint64_t launch = 0;
    std::string sizes;
    double per_request = 0, per_lane = 0;
  };
  struct Access {
    std::uint64_t launches = 0;
    Of most, least;  // likewise
  };
  /// Kernel, pc, and what is done there.
  using Place = std::tuple<std::uint64_t, std::uint32_t, emulated::Space, emulated::Act, int>;
  std::map<Place, Access> accesses_;
};

/// One line for each.
std::string text_of(const std::vector<VaryingAccess>& varying);

}  // namespace ridgeline::program
