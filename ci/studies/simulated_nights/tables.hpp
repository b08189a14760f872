#pragma once

#include <cstddef>
#include <string>

/// The tables of docs/trend.md, in Markdown.
namespace ridgeline::analysis::trend_study {

struct Options {
  std::size_t series = 600;  // of each kind of noise, for false changes
  std::size_t steps = 500;   // series with a step, of each kind and size
  std::size_t drifts = 500;  // series with a drift, likewise
  std::size_t fleets = 100;  // devices whose cases change together, of each sort
  std::string only;          // kinds of noise whose names have it
};

/// How often what is not there is told, on every kind of noise.
std::string false_table(const Options& options);
/// How soon steps are told, and how well placed and sized, on every kind of noise.
std::string step_table(const Options& options);
/// How often what comes little by little is told, and as what, on some kinds of noise.
std::string drift_table(const Options& options);
/// How soon a change of many cases is told, by themselves and by all of them together.
std::string fleet_table(const Options& options);

}  // namespace ridgeline::analysis::trend_study
