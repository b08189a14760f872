#include "harness/analysis/stored_side.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/gate_plan.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::analysis {
namespace {

using Values = std::map<std::string, std::set<std::string>>;

void add_changes(std::vector<std::string>& to, const Values& baseline, const Values& candidate) {
  std::set<std::string> keys;
  for (const auto& [key, values] : baseline) keys.insert(key);
  for (const auto& [key, values] : candidate) keys.insert(key);
  const auto text = [](const Values& values, const std::string& key) {
    const auto found = values.find(key);
    return found == values.end() ? std::string("nothing")
                                 : printable(fmt::to_string(fmt::join(found->second, ", ")));
  };
  for (const std::string& key : keys)
    if (const std::string before = text(baseline, key), after = text(candidate, key);
        before != after)
      to.push_back(fmt::format("{} {} -> {}", printable(key), before, after));
}

/// The load of the last minute is kept as a whole number and the counts of processes behind it are
/// left out: they are never the same twice.
Values values(const record::Facts& facts, const std::set<std::string>& left_out) {
  Values single;
  for (const auto& [key, value] : facts)
    if (!left_out.contains(key))
      single[key].insert(key == "load_average" ? value.substr(0, value.find('.')) : value);
  return single;
}

Values how_built(const std::vector<record::Build>& builds) {
  Values found;
  for (const record::Build& build : builds)
    for (const auto& [what, value] :
         {std::pair("compiler", build.compiler), std::pair("flags", build.flags),
          std::pair("CUDA", build.cuda)})
      if (!value.empty()) found[fmt::format("{} of {}", what, build.worker)].insert(value);
  return found;
}

/// Hashes by worker.
Values code(const std::vector<record::Build>& builds) {
  Values hashes;
  for (const record::Build& build : builds) hashes[build.worker].insert(build.code_hash);
  return hashes;
}

}  // namespace

std::vector<std::string> build_changes(const std::vector<record::Build>& baseline,
                                       const std::vector<record::Build>& candidate) {
  std::vector<std::string> found;
  add_changes(found, how_built(baseline), how_built(candidate));
  return found;
}

std::vector<std::string> fact_changes(const record::Facts& baseline, const record::Facts& candidate,
                                      const std::set<std::string>& left_out) {
  std::vector<std::string> found;
  add_changes(found, values(baseline, left_out), values(candidate, left_out));
  return found;
}

EnvironmentChanges changes(const store::StoredRun& baseline, const store::StoredRun& candidate,
                           const std::set<std::string>& left_out) {
  EnvironmentChanges found;
  found.comparable =
      fact_changes(baseline.environment.comparable, candidate.environment.comparable);
  found.recorded =
      fact_changes(baseline.environment.recorded, candidate.environment.recorded, left_out);
  add_changes(gives_counts(candidate.device.kind) ? found.comparable : found.recorded,
              how_built(baseline.builds), how_built(candidate.builds));
  if (baseline.run.profile != candidate.run.profile)
    found.recorded.push_back(fmt::format("profile {} -> {}", printable(baseline.run.profile),
                                         printable(candidate.run.profile)));
  else if (baseline.run.profile_text != candidate.run.profile_text)
    found.recorded.push_back(
        fmt::format("the text of profile {}", printable(baseline.run.profile)));
  return found;
}

bool is_known_code(const std::string& code_hash) {
  return !code_hash.empty() && code_hash != "unknown";
}

bool same_code(const store::StoredRun& baseline, const store::StoredRun& candidate) {
  const Values hashes = code(baseline.builds);
  return !hashes.empty() && hashes == code(candidate.builds) &&
         std::ranges::all_of(hashes, [](const auto& of) {
           return of.second.size() == 1 && is_known_code(*of.second.begin());
         });
}

std::vector<std::string> case_names(const StoredSide& baseline, const StoredSide& candidate) {
  std::set<std::string> names;
  for (const StoredSide* side : {&baseline, &candidate})
    for (const store::StoredMeasurement& stored : side->measurements)
      names.insert(record::name(stored.case_info.id));
  return {names.begin(), names.end()};
}

}  // namespace ridgeline::analysis
