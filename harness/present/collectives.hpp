#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/collective_fit.hpp"
#include "harness/base/dtype.hpp"
#include "harness/base/json.hpp"
#include "harness/present/collective_case.hpp"
#include "harness/store/selector.hpp"

/// `ridgeline collectives`: what measured sizes of a collective say of all others.
namespace ridgeline::present {

struct CurveChoice {
  std::vector<std::string> patterns;  // of case names; none: all
  std::string device;                 // as is_asked_for has it
};

/// The times of one operation by size, of the newest run that has three sizes of it or more.
struct CollectiveCurve {
  std::string run, model;
  CollectiveCase of;                        // the first of them
  std::vector<analysis::SizedTime> points;  // of results that are ok
  std::optional<double> best_busbw;         // B/s
  std::optional<double> bus_factor;         // bus bandwidth over bytes per time
  std::optional<record::Roof> wire;         // of one direction of the links between the ranks

  /// The share of the wire that this rate of bytes per time takes as bus bandwidth; absent where
  /// either is not known.
  std::optional<double> share_of_wire(double rate) const;
};

/// By model, operation, ranks and mode. `left_out` is told of files that cannot be read; throws a
/// store Error when there is none that can.
std::vector<CollectiveCurve> find_curves(const std::filesystem::path& results,
                                         const CurveChoice& choice, const store::LeftOut& left_out);

struct FittedCurve {
  CollectiveCurve curve;
  analysis::CollectiveFit fit;
  std::optional<analysis::LeftOutSizes> left_out;
};
std::vector<FittedCurve> fit_curves(std::vector<CollectiveCurve> curves);

std::string fits_text(const std::vector<FittedCurve>& curves, std::size_t width);
json::Value to_json(const FittedCurve& curve);

/// What is projected: a step's gradients.
struct ProjectionChoice {
  double parameters = 0, bucket_bytes = 0;
  DType dtype = DType::f32;
  int ranks = 2;
  std::optional<double> link;  // B/s of one direction; absent: the curve's highest bus bandwidth
};

/// Side by side: once over the link, a ring's least, and by a measured curve.
struct Projection {
  ProjectionChoice choice;
  analysis::Gradients gradients;
  std::optional<double> link;
  std::string link_from;
  std::optional<FittedCurve> curve;  // of all_reduce
  std::optional<analysis::ByCurve> measured;
  double scale = 1;                 // of the curve's times
  std::vector<std::string> doubts;  // how the curve is not that of what is asked
};
/// Of the curves, the one that fits best: as many ranks, the same type, calls in a row,
/// the most sizes.
Projection project(const ProjectionChoice& choice, const std::vector<CollectiveCurve>& curves);

std::string projection_text(const Projection& projection);
json::Value to_json(const Projection& projection);

}  // namespace ridgeline::present
