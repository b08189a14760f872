#include "harness/present/explain.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/shell.hpp"
#include "harness/base/text.hpp"
#include "harness/present/asked_device.hpp"
#include "harness/present/rate.hpp"
#include "harness/store/process_workers.hpp"
#include "harness/store/series.hpp"

namespace ridgeline::present {
namespace {

using analysis::CaseSummary;
using analysis::Conclusion;
using analysis::Explanation;
using analysis::Resource;
using store::FoundRun;
using store::StoredMeasurement;

std::optional<double> fact(const record::Facts& facts, const std::string& key) {
  const auto found = facts.find(key);
  double value = 0;
  if (found == facts.end()) return std::nullopt;
  const std::string& text = found->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

Circumstances circumstances_of(const CaseSummary& summary, const record::Device& device,
                               const analysis::CaseProcesses& processes) {
  Circumstances found;
  found.clock_mhz = summary.sm_clock_mhz;
  found.power_w = summary.power_w;
  found.most_clock_mhz = fact(device.properties, "max_sm_clock_mhz");
  found.power_limit_w = fact(device.comparable, "power_limit_w");
  std::set<std::string> reasons;
  for (const StoredMeasurement* process : processes) {
    const record::Measurement& one = process->measurement;
    if (!record::has_samples(one.outcome)) continue;
    ++found.processes;
    if (one.telemetry.throttle.empty()) continue;
    ++found.throttled;
    reasons.insert(one.telemetry.throttle);
  }
  found.throttle = fmt::format("{}", fmt::join(reasons, ", "));
  return found;
}

/// Explains the cases of one run.
class Explainer {
 public:
  explicit Explainer(const RunEvidence& evidence)
      : evidence_(evidence),
        processes_(analysis::by_case(evidence.measurements)),
        summaries_(
            analysis::summarise(evidence.measurements, evidence.roofs, evidence.run.unstable)),
        launches_(summaries_) {
    for (const analysis::Ladder& ladder : evidence.ladders)
      if (ladder.kind == evidence.device.kind)
        ladders_.push_back(analysis::climb(ladder, summaries_));
    for (const analysis::ClimbedLadder& ladder : ladders_)
      for (std::size_t i = 0; i < ladder.rungs.size(); ++i)
        places_[ladder.rungs[i].name].emplace_back(&ladder, i);
  }

  std::vector<ExplainedCase> all(const std::function<bool(const std::string& name)>& wanted) const {
    std::vector<ExplainedCase> cases;
    for (std::size_t i = 0; i < summaries_.size(); ++i)  // which stand in the order of by_case
      if (wanted(name(summaries_[i]))) cases.push_back(one(i));
    return cases;
  }

 private:
  static std::string name(const CaseSummary& summary) { return record::name(summary.case_info.id); }

  const LatestCount* counted(const CaseSummary& summary) const {
    const auto found = evidence_.counted.find(name(summary));
    return found == evidence_.counted.end() ||
                   found->second.measurement.outcome != record::Outcome::counted
               ? nullptr
               : &found->second;
  }

  Explanation explained(const CaseSummary& summary) const {
    const LatestCount* const counts = counted(summary);
    return analysis::explain({summary, evidence_.device, evidence_.roofs, launches_,
                              counts ? &counts->measurement : nullptr});
  }

  ExplainedCase one(std::size_t place) const {
    const CaseSummary& summary = summaries_[place];
    ExplainedCase result;
    result.summary = summary;
    result.explanation = explained(summary);
    result.circumstances = circumstances_of(summary, evidence_.device, processes_[place]);
    const LatestCount* const counts = counted(summary);
    if (counts) result.counted_run = counts->run;
    result.occupancy = metric(summary.metrics, "occupancy_ran");
    result.occupancy_ran = result.occupancy.has_value();
    if (!result.occupancy && counts)
      result.occupancy = metric(counts->measurement.metrics, "theoretical_occupancy");
    if (const auto found = places_.find(name(summary)); found != places_.end())
      for (const auto& [ladder, rung] : found->second)
        result.ladders.push_back(after(*ladder, rung));
    settle(result, counts, worker_of(processes_[place]));
    return result;
  }

  NextRung after(const analysis::ClimbedLadder& ladder, std::size_t place) const {
    NextRung next{ladder.ladder.title, {}, {}, {}, {}, {}, {}};
    if (place + 1 < ladder.rungs.size()) {
      const analysis::Rung& rung = ladder.rungs[place + 1];
      next.name = rung.name;
      next.gain = rung.over_before;
      if (rung.summary) {
        next.idea = rung.summary->case_info.idea;
        next.explanation = explained(*rung.summary);
      }
    } else if (ladder.reference) {
      next.reference = ladder.references[*ladder.reference].name;
      next.over_reference = ladder.rungs[place].over_reference;
    }
    return next;
  }

  /// That which measured the case last; empty where it is not known.
  std::string worker_of(const analysis::CaseProcesses& processes) const {
    const auto found = evidence_.workers.find(processes.back()->process_id);
    return found == evidence_.workers.end() ? "" : found->second;
  }

  void settle(ExplainedCase& result, const LatestCount* counts, const std::string& worker) const {
    const Explanation& found = result.explanation;
    const std::string case_name = name(result.summary);
    const auto add = [&](const std::vector<std::string>& words, const char* shows) {
      result.settle.push_back({shell_line(words), shows});
    };
    if (found.conclusion == Conclusion::roof) return;
    if (!evidence_.run.imported.empty()) return;  // a case of another program
    if (evidence_.device.kind == DeviceKind::emulated) {
      if (result.summary.outcome != record::Outcome::counted) return;
      const bool hopper = evidence_.device.id == "emulated:sm_90";
      add({"ridgeline", "predict", case_name, "--on", hopper ? "h100" : "a100"},
          "the least time that its counts allow there");
      return;
    }
    const bool is_gpu = evidence_.device.kind == DeviceKind::cuda;
    const bool by_counters =
        metric(result.summary.metrics, "hardware_warp_instructions").has_value();
    const bool may_be_known =
        found.conclusion == Conclusion::contradiction || (is_gpu && !by_counters) ||
        std::ranges::any_of(found.unknown, &analysis::UnknownUsage::run_tells);
    if (found.conclusion == Conclusion::no_time)
      add({"ridgeline", "run", "--device", evidence_.device.id, "roofs", case_name}, "a time");
    else if (may_be_known && is_gpu)
      add({"ridgeline", "run", "--device", evidence_.device.id, "--counters", "roofs", case_name},
          "what the hardware counts, beside all roofs of the same run");
    else if (may_be_known)
      add({"ridgeline", "run", "--device", evidence_.device.id, "roofs", case_name},
          "the roofs of the same run");
    if (is_gpu && by_counters && !worker.empty() && result.summary.case_info.ranks == 1)
      add({"ncu", "--set", "full", "--nvtx", "--nvtx-include", "regex:.*/", worker, "--device",
           evidence_.device.id, "--once", case_name},
          "its kernels and how long each takes by itself, what its warps wait for, and how busy L1 "
          "and the other units are");
    if (counts)
      add({"ridgeline", "show", "--listing", case_name, counts->run},
          "which line of the source asks for what");
  }

  const RunEvidence& evidence_;
  std::vector<analysis::CaseProcesses> processes_;
  std::vector<CaseSummary> summaries_;
  analysis::LaunchTimes launches_;  // points into summaries_
  std::vector<analysis::ClimbedLadder> ladders_;
  std::map<std::string, std::vector<std::pair<const analysis::ClimbedLadder*, std::size_t>>>
      places_;  // of cases in the ladders
};

/// A run with the names of the cases in it that are to be explained.
struct Wanted {
  FoundRun found;
  std::set<std::string> names;
};

/// Of each device model the newest run that has a time of a case; where none has, that has it.
std::vector<Wanted> newest(const std::vector<FoundRun>& all, const ExplainChoice& choice,
                           std::set<std::string>& known) {
  std::map<std::pair<std::string, std::string>, std::pair<std::size_t, bool>> chosen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const store::RunSummary& of = all[i].summary;
    if (!of.run.gate.empty() || !is_asked_for(of.device, choice.device)) continue;
    const store::Store store = store::Store::open(all[i].file);
    const store::Timings timings = store::timings(store, of.run.id);
    for (const store::Timing& one : timings.timings) {
      const std::string name = record::name(timings.cases[one.case_index].id);
      known.insert(name);
      if (!any_matches(choice.patterns, name)) continue;
      const auto [at, is_new] = chosen.try_emplace({of.device.model, name}, i, false);
      if (one.median_ns && (!at->second.second || at->second.first == i)) at->second = {i, true};
    }
  }
  std::map<std::size_t, Wanted> by_run;
  for (const auto& [what, where] : chosen) {
    Wanted& wanted = by_run.try_emplace(where.first, Wanted{all[where.first], {}}).first->second;
    wanted.names.insert(what.second);
  }
  std::vector<Wanted> runs;
  for (auto& [place, wanted] : by_run) runs.push_back(std::move(wanted));
  return runs;
}

Wanted of_run(const FoundRun& found, const ExplainChoice& choice, std::set<std::string>& known) {
  const store::Store store = store::Store::open(found.file);
  Wanted wanted{found, {}};
  for (const record::Case& info : store::timings(store, found.summary.run.id).cases) {
    known.insert(record::name(info.id));
    if (any_matches(choice.patterns, record::name(info.id)))
      wanted.names.insert(record::name(info.id));
  }
  return wanted;
}

}  // namespace

std::vector<ExplainedCase> explain(const RunEvidence& evidence,
                                   const std::function<bool(const std::string& name)>& wanted) {
  return Explainer(evidence).all(wanted);
}

std::vector<ExplainedRun> find_explanations(const std::filesystem::path& results,
                                            const ExplainChoice& choice,
                                            const std::vector<analysis::Ladder>& ladders,
                                            const store::LeftOut& left_out) {
  const std::vector<FoundRun> all = store::all_runs(results, left_out);
  std::set<std::string> known;
  std::vector<Wanted> runs;
  if (choice.run.empty()) {
    runs = newest(all, choice, known);
  } else {
    const FoundRun found = store::find_run(results, choice.run, left_out);
    if (!is_asked_for(found.summary.device, choice.device))
      throw Error(ErrorKind::usage,
                  fmt::format("the run {} is not of a device '{}'", printable(found.summary.run.id),
                              printable(choice.device)));
    runs.push_back(of_run(found, choice, known));
  }
  if (known.empty() && !choice.device.empty())
    throw Error(ErrorKind::usage,
                fmt::format("no run of a device '{}' is stored", printable(choice.device)),
                "ridgeline runs lists them");
  check_picks(choice.patterns, {known.begin(), known.end()},
              choice.run.empty() ? "what is stored" : "the run",
              "ridgeline show lists the cases of the latest run");
  const auto counted = [&](const std::string& pci_id) -> CountedCases {
    try {
      return counted_for(pci_id, all);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::store) throw;
      left_out(error);  // the run itself could be read
      return {};
    }
  };
  std::vector<ExplainedRun> explained;
  for (const Wanted& wanted : runs) {
    const store::RunSummary& of = wanted.found.summary;
    const store::Store store = store::Store::open(wanted.found.file);
    const RunEvidence evidence{of.run,
                               of.device,
                               store::roofs(store, of.run.id),
                               store::measurements(store, of.run.id, store::Samples::leave_out),
                               counted(of.device.pci_id),
                               ladders,
                               store::process_workers(store, of.run.id)};
    explained.push_back({of.run, of.device, explain(evidence, [&](const std::string& name) {
                           return wanted.names.contains(name);
                         })});
  }
  return explained;
}

}  // namespace ridgeline::present
