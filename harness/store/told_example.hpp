#pragma once

#include <string>

#include "harness/record/told.hpp"
#include "harness/store/examples.hpp"

/// A change that was told, for tests.
namespace ridgeline::store::examples {

inline record::Told told_change(const std::string& label = "a0b1c2d3") {
  record::Told told;
  told.label = label;
  told.device = device().uuid;
  told.profile = "nightly";
  told.case_name = record::name(gemm_case().id);
  told.kind = "regression";
  told.earliest = told.night = told.latest = "2026-07-14";
  told.ratio = 1.06;
  told.failed = true;
  told.told_night = "2026-07-18";
  told.told_at = told.state_at = "2026-07-18T03:00:00Z";
  return told;
}

inline record::Telling telling() {
  return {device().uuid, "nightly", "", "2026-07-18", "2026-07-18T03:00:00Z"};
}

}  // namespace ridgeline::store::examples
