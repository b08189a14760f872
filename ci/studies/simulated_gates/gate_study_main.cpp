// How often a gate raises false alarms, and how often it finds what is there, on noise that is
// simulated. Prints tables of docs/error-rates.md, which ci/studies/gate_study puts there.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "ci/studies/simulated_gates/tables.hpp"

namespace ridgeline::analysis::study {
namespace {

const std::pair<std::string, std::function<std::string(Study&)>> all_tables[] = {
    {"verdicts", verdicts},       {"false_tails", false_tails},
    {"found_tails", found_tails}, {"screenings", screenings},
    {"locations", locations},     {"drops", drops},
    {"doubts", doubts},           {"orders", orders}};

/// `--suites N --trials N --pairs FILE --table NAME --noise NAME`, the last two as often as
/// wanted.
Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--suites") options.suites = std::strtoul(value.c_str(), nullptr, 10);
    if (name == "--trials") options.trials = std::strtoul(value.c_str(), nullptr, 10);
    if (name == "--pairs") options.measured = read_pairs(value);
    if (name == "--noise") options.noises.push_back(value);
    if (name == "--table") options.tables.push_back(value);
  }
  return options;
}

}  // namespace

int run(int argc, char** argv) {
  Study study(options_of(argc, argv));
  const std::vector<std::string>& asked = study.options().tables;
  bool first = true;
  for (const auto& [name, table] : all_tables) {
    if (!asked.empty() && std::ranges::find(asked, name) == asked.end()) continue;
    if (!first) fmt::print("\n");
    first = false;
    fmt::print("{}", table(study));
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace ridgeline::analysis::study

int main(int argc, char** argv) {
  try {
    return ridgeline::analysis::study::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "ridgeline-gate-study: {}\n", error.what());
    return 70;
  }
}
