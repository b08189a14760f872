#pragma once

#include <cstddef>
#include <optional>
#include <span>

/// A change that came little by little, told apart from a step.
namespace ridgeline::stats {

struct Slope {
  std::size_t begin = 0;  // the last value before it: a level up to there, a line from there on
  double a_night = 0;
};

/// The slope at the end of `values` where it fits them clearly better than any step between two
/// levels does, both by least squares. A slope is one of `shortest` values or more, and so is the
/// level before a step; that behind it may have begun with the last value.
std::optional<Slope> slope_of(std::span<const double> values, std::size_t shortest);

}  // namespace ridgeline::stats
