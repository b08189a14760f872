#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/comparison.hpp"
#include "harness/analysis/stored_side.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::analysis {
namespace {

/// "1a2b3c4d5e6f with local changes" of each worker's commit.
std::set<std::string> commits(const std::vector<record::Build>& builds) {
  std::set<std::string> found;
  for (const record::Build& build : builds)
    found.insert(printable(build.commit.substr(0, 12)) +
                 (build.dirty ? " with local changes" : ""));
  return found;
}

bool is_known(const std::vector<record::Build>& builds) {
  return std::ranges::all_of(builds, is_known_code, &record::Build::code_hash);
}

}  // namespace

bool other_code(const store::StoredRun& a, const store::StoredRun& b) {
  if (same_code(a, b)) return false;
  return (is_known(a.builds) && is_known(b.builds)) || commits(a.builds) != commits(b.builds) ||
         !build_changes(a.builds, b.builds).empty();
}

std::vector<std::string> differences(const ComparedSide& a, const ComparedSide& b,
                                     Kinship kinship) {
  std::vector<std::string> found;
  // Which of the host's GPUs it is.
  const std::set<std::string> place =
      kinship == Kinship::siblings ? std::set<std::string>{"pci_bus", "peers", "direct_peers"}
                                   : std::set<std::string>{};
  const auto add = [&](const char* kind, const std::string& words) {
    found.push_back(fmt::format("{}: {}", kind, words));
  };
  if (other_code(a, b)) {
    const std::set<std::string> built_a = commits(a.builds), built_b = commits(b.builds);
    add("build", built_a == built_b
                     ? fmt::format("both from {}, but the code of the workers differs",
                                   fmt::join(built_a, " and "))
                     : fmt::format("{} -> {}; every ratio compares the code, too",
                                   fmt::join(built_a, " and "), fmt::join(built_b, " and ")));
  }
  for (const std::string& change : build_changes(a.builds, b.builds)) add("build", change);
  if (a.run.profile != b.run.profile)
    add("profile", fmt::format("{} -> {}", printable(a.run.profile), printable(b.run.profile)));
  else if (a.run.profile_text != b.run.profile_text)
    add("profile", fmt::format("the text of {} differs", printable(a.run.profile)));
  if (a.run.seed != b.run.seed)
    add("inputs",
        fmt::format("other random numbers, of the seeds {} -> {}", a.run.seed, b.run.seed));
  const bool one_model = a.device.model == b.device.model;
  if (one_model && kinship == Kinship::none && a.device.uuid != b.device.uuid)
    add("device",
        fmt::format("{} ({}) -> {} ({})", printable(a.device.id), printable(a.device.uuid),
                    printable(b.device.id), printable(b.device.uuid)));
  std::set<std::string> hardware{"model"};
  if (!one_model) hardware.insert("memory_gib");
  for (const std::string& change :
       fact_changes(a.environment.comparable, b.environment.comparable, hardware))
    add("setting", change);
  if (one_model)
    for (const std::string& change :
         fact_changes(a.environment.recorded, b.environment.recorded, place))
      add("recorded", change);
  for (const auto& [name, side] : {std::pair("A", &a), std::pair("B", &b)}) {
    if (side->run.status != record::RunStatus::finished)
      found.push_back(fmt::format("{}'s run is {}: it may lack cases", name, side->status));
    if (std::ranges::none_of(side->roofs, record::is_measured))
      found.push_back(fmt::format(
          "{}'s run measured no roofs (suite roofs): only a datasheet's can be compared", name));
    std::vector<std::string> unsteady;
    for (const record::Roof& roof : side->roofs)
      if (record::is_unsteady(roof)) unsteady.push_back(printable(roof.kind));
    if (!unsteady.empty())
      found.push_back(
          fmt::format("{}'s roofs were not all steady: {}", name, fmt::join(unsteady, ", ")));
  }
  return found;
}

}  // namespace ridgeline::analysis
