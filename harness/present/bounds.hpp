#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/bound.hpp"
#include "harness/base/json.hpp"
#include "harness/catalogue/datasheets.hpp"
#include "harness/present/wrapped.hpp"
#include "harness/record/run.hpp"

/// `ridgeline predict`: what counts allow on GPUs of the catalogue, beside what was measured there.
namespace ridgeline::present {

/// The latest ok measurement of a case of the same name on this model of GPU.
struct MeasuredCase {
  std::string run;
  double median_ns = 0;
};

struct BoundedCase {
  std::string name, counted_run;
  analysis::Bound bound;
  std::optional<MeasuredCase> measured;

  /// Measured over bound; absent without either.
  std::optional<double> ratio() const {
    if (!measured || !bound.binding) return std::nullopt;
    return measured->median_ns / bound.binding->ns;
  }
  bool below_bound() const { return ratio() && *ratio() < 1; }
};

/// A case of which the latest run has no counts, and why.
struct UncountedCase {
  std::string name, why;
};

/// One GPU with the cases that were asked for.
struct DeviceBounds {
  catalogue::Datasheet sheet;
  std::string counted_by;          // "emulated:sm_90"
  std::optional<record::Roof> l2;  // measured, of l2_run
  std::string l2_run;
  std::vector<BoundedCase> cases;  // by name, as the uncounted ones
  std::vector<UncountedCase> uncounted;
};

/// What is asked for.
struct PredictOptions {
  std::vector<std::string> patterns, devices;  // of cases; GPUs of the catalogue
  std::string run;  // whose counts are taken; empty: the latest of each case
};

/// From the runs of the folder `results`. Throws a usage Error for what is not known, or a run that
/// counts for another GPU, and a dependency Error when nothing has been counted.
std::vector<DeviceBounds> find_bounds(const std::filesystem::path& results,
                                      const PredictOptions& options);

/// In lines of `width` characters where that is possible.
std::string bounds_text(const std::vector<DeviceBounds>& devices, std::size_t width = any_width);
/// A table for each device, with headings of the third level.
std::string bounds_markdown(const std::vector<DeviceBounds>& devices);
json::Value to_json(const std::vector<DeviceBounds>& devices);

}  // namespace ridgeline::present
