// How often a watched series of noise has a change or a drift that is not there, and how soon what
// is there is told. Prints the tables of docs/trend.md, which ci/studies/trend_study puts there.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include <fmt/core.h>

#include "ci/studies/simulated_nights/tables.hpp"

namespace ridgeline::analysis::trend_study {
namespace {

/// `--series N --steps N --drifts N --fleets N --only NAME`; of 0 there is no table.
Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    const auto count = [&] { return std::strtoul(value.c_str(), nullptr, 10); };
    if (name == "--series") options.series = count();
    if (name == "--steps") options.steps = count();
    if (name == "--drifts") options.drifts = count();
    if (name == "--fleets") options.fleets = count();
    if (name == "--only") options.only = value;
  }
  return options;
}

int run(int argc, char** argv) {
  const Options options = options_of(argc, argv);
  bool first = true;
  const auto print = [&](std::size_t count, std::string (*table)(const Options&)) {
    if (count == 0) return;
    fmt::print("{}{}", first ? "" : "\n", table(options));
    std::fflush(stdout);
    first = false;
  };
  print(options.series, false_table);
  print(options.steps, step_table);
  print(options.drifts, drift_table);
  print(options.fleets, fleet_table);
  return 0;
}

}  // namespace
}  // namespace ridgeline::analysis::trend_study

int main(int argc, char** argv) {
  try {
    return ridgeline::analysis::trend_study::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "ridgeline-trend-study: {}\n", error.what());
    return 70;
  }
}
