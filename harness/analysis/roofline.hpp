#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/record/case.hpp"
#include "harness/record/run.hpp"

namespace ridgeline::analysis {

/// The least time that a device's roofs allow for a case.
struct RoofTime {
  double ns = 0;
  std::string roof;                      // kind of the one that binds
  bool compute = false, memory = false;  // which kinds of roof there are for it
  bool whole = true;  // false when bytes have no roof: operations alone bound the time from below,
                      // but say nothing of how far from its limit a case is
};

/// Of `flops` and `bytes` at the case's compute roof (tensor.<dtype> where the device has one, else
/// fma.<dtype>) and its memory roof: the highest dram.*, or with a field direction=to_device of the
/// problem link.to_device or link; measured roofs go before a datasheet's.
/// With cache=hot bytes need not come from memory, and have none. With products=3xf16 the work is
/// three times `flops` at the roof tensor.f16. Absent when no roof says anything.
std::optional<RoofTime> least_time(const record::CaseId& id, std::optional<double> flops,
                                   std::optional<double> bytes,
                                   const std::vector<record::Roof>& roofs);

}  // namespace ridgeline::analysis
