#pragma once

#include <optional>
#include <string>
#include <string_view>
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

/// The roof of a case's operations: tensor.<dtype> where the device has one, else fma.<dtype>; with
/// products=3xf16 tensor.f16. Measured roofs go before a datasheet's, then the highest; null
/// without one.
const record::Roof* compute_roof(const record::CaseId& id, const std::vector<record::Roof>& roofs);

/// The roof of a case's bytes: the highest dram.*, or with a field direction=to_device of the
/// problem link.to_device or link, and with a field `peer`, too, link.to_peer alone; otherwise as
/// compute_roof.
const record::Roof* memory_roof(const record::CaseId& id, const std::vector<record::Roof>& roofs);

/// The highest roof that is this kind or begins with it ("fma.f32", "llc."), as compute_roof.
const record::Roof* highest_roof(std::string_view kind, const std::vector<record::Roof>& roofs);

/// Of `flops` and `bytes` at the case's compute roof and its memory roof. With cache=hot bytes need
/// not come from memory, and have none. With products=3xf16 the work is three times `flops`. Absent
/// when no roof says anything.
std::optional<RoofTime> least_time(const record::CaseId& id, std::optional<double> flops,
                                   std::optional<double> bytes,
                                   const std::vector<record::Roof>& roofs);

}  // namespace ridgeline::analysis
