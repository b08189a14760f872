#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/comparison.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::analysis {
namespace {

StoredSide as_stored(const ComparedSide& side) { return {side.run, side.device, side.environment, side.builds, {}}; }

/// "1a2b3c4d5e6f with local changes" of each worker's commit.
std::set<std::string> commits(const ComparedSide& side) {
  std::set<std::string> found;
  for (const record::Build& build : side.builds)
    found.insert(printable(build.commit.substr(0, 12)) + (build.dirty ? " with local changes" : ""));
  return found;
}

bool has_unknown_code(const ComparedSide& side) {
  return std::ranges::any_of(side.builds, [](const record::Build& build) { return !is_known_code(build.code_hash); });
}

}  // namespace

bool other_code(const ComparedSide& a, const ComparedSide& b) {
  if (same_code(as_stored(a), as_stored(b))) return false;
  const bool is_known = !has_unknown_code(a) && !has_unknown_code(b);
  return is_known || commits(a) != commits(b) || !build_changes(a.builds, b.builds).empty();
}

std::vector<Difference> differences(const ComparedSide& a, const ComparedSide& b) {
  std::vector<Difference> found;
  const auto add = [&](const char* kind, const std::string& words) {
    found.push_back({kind, *kind ? fmt::format("{}: {}", kind, words) : words});
  };
  if (other_code(a, b)) {
    const std::set<std::string> built_a = commits(a), built_b = commits(b);
    add("build", built_a == built_b
                     ? fmt::format("both from {}, but the code of the workers differs", fmt::join(built_a, " and "))
                     : fmt::format("{} -> {}; every ratio compares the code, too", fmt::join(built_a, " and "),
                                   fmt::join(built_b, " and ")));
  }
  for (const std::string& change : build_changes(a.builds, b.builds)) add("build", change);
  if (a.run.profile != b.run.profile)
    add("profile", fmt::format("{} -> {}", printable(a.run.profile), printable(b.run.profile)));
  else if (a.run.profile_text != b.run.profile_text)
    add("profile", fmt::format("the text of {} differs", printable(a.run.profile)));
  if (a.run.seed != b.run.seed)
    add("inputs", fmt::format("other random numbers, of the seeds {} -> {}", a.run.seed, b.run.seed));
  const bool one_model = a.device.model == b.device.model;
  std::set<std::string> hardware{"model"};
  if (!one_model) hardware.insert("memory_gib");
  for (const std::string& change : fact_changes(a.environment.comparable, b.environment.comparable, hardware))
    add("setting", change);
  if (one_model)
    for (const std::string& change : fact_changes(a.environment.recorded, b.environment.recorded))
      add("recorded", change);
  for (const auto& [name, side] : {std::pair("A", &a), std::pair("B", &b)}) {
    if (side->run.status != record::RunStatus::finished)
      add("", fmt::format("{}'s run is {}: it may lack cases", name, record::to_string(side->run.status)));
    if (std::ranges::none_of(side->roofs, [](const record::Roof& roof) { return roof.source == "measured"; }))
      add("", fmt::format("{}'s run measured no roofs (suite roofs): only a datasheet's can be compared", name));
  }
  return found;
}

std::vector<std::string> words(const std::vector<Difference>& differences) {
  std::vector<std::string> all;
  for (const Difference& one : differences) all.push_back(one.words);
  return all;
}

}  // namespace ridgeline::analysis
