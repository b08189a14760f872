#include "harness/present/ladders.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/present/rate.hpp"
#include "harness/present/terminal.hpp"

namespace ridgeline::present {
namespace {

using analysis::ClimbedLadder;
using analysis::Ladder;
using store::FoundRun;
using Runs = std::vector<FoundRun>;

/// Names of the cases that a run has times of.
std::set<std::string> timed_cases(const FoundRun& found) {
  const store::Store store = store::Store::open(found.file);
  const store::Timings timings = store::timings(store, found.summary.run.id);
  std::set<std::string> names;
  for (const store::Timing& one : timings.timings)
    if (one.median_ns) names.insert(record::name(timings.cases[one.case_index].id));
  return names;
}

/// How many cases of the ladder; none without a rung.
std::size_t timed(const Ladder& ladder, const std::set<std::string>& cases) {
  const auto is_timed = [&](const std::string& name) { return cases.contains(name); };
  const auto rungs = std::ranges::count_if(ladder.rungs, is_timed);
  return rungs == 0
             ? 0
             : static_cast<std::size_t>(rungs + std::ranges::count_if(ladder.references, is_timed));
}

/// For each of `ladders` the place of its run among `runs`, which are newest first; absent where no
/// run has a time of a rung.
std::vector<std::optional<std::size_t>> chosen_runs(const std::vector<Ladder>& ladders,
                                                    const Runs& runs) {
  std::vector<std::optional<std::size_t>> chosen(ladders.size());
  std::vector<std::size_t> most(ladders.size(), 0);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const std::set<std::string> cases = timed_cases(runs[r]);
    for (std::size_t l = 0; l < ladders.size(); ++l)
      if (const std::size_t has = timed(ladders[l], cases); has > most[l]) {
        most[l] = has;
        chosen[l] = r;
      }
  }
  return chosen;
}

LaddersOfRun climb_all(const FoundRun& found, const std::vector<Ladder>& ladders) {
  const std::string& id = found.summary.run.id;
  const store::Store store = store::Store::open(found.file);
  const auto measurements = store::measurements(store, id, store::Samples::leave_out);
  LaddersOfRun of{store::stored_run(store, found.summary),
                  store::roofs(store, id),
                  analysis::clocks_of(measurements),
                  {}};
  const auto summaries = analysis::summarise(measurements, of.roofs, of.run.unstable);
  for (const Ladder& ladder : ladders) of.ladders.push_back(analysis::climb(ladder, summaries));
  return of;
}

LaddersOfModel ladders_of_model(const std::string& model, const Runs& runs,
                                const std::vector<Ladder>& all) {
  const DeviceKind kind = runs.front().summary.device.kind;
  std::vector<Ladder> ladders;
  std::ranges::copy_if(all, std::back_inserter(ladders),
                       [&](const Ladder& ladder) { return ladder.kind == kind; });
  const auto chosen = chosen_runs(ladders, runs);
  LaddersOfModel of{model, {}, {}};
  for (std::size_t r = 0; r < runs.size(); ++r) {
    std::vector<Ladder> of_run;
    for (std::size_t l = 0; l < ladders.size(); ++l)
      if (chosen[l] == r) of_run.push_back(ladders[l]);
    if (!of_run.empty()) of.runs.push_back(climb_all(runs[r], of_run));
  }
  for (std::size_t l = 0; l < ladders.size(); ++l)
    if (!chosen[l]) of.unmeasured.push_back(ladders[l].title);
  return of;
}

}  // namespace

std::vector<LaddersOfModel> find_ladders(const std::filesystem::path& results,
                                         const std::string& run,
                                         const std::vector<Ladder>& ladders) {
  std::map<std::string, Runs> by_model;  // each newest first
  if (!run.empty()) {
    const FoundRun found = store::find_run(results, run, say_left_out);
    by_model[found.summary.device.model].push_back(found);
  } else {
    for (const FoundRun& found : store::all_runs(results, say_left_out))
      if (found.summary.run.gate.empty()) by_model[found.summary.device.model].push_back(found);
  }
  std::vector<LaddersOfModel> models;
  for (const auto& [model, runs] : by_model)
    if (LaddersOfModel of = ladders_of_model(model, runs, ladders); !of.runs.empty())
      models.push_back(std::move(of));
  return models;
}

}  // namespace ridgeline::present
