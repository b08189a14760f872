#include "harness/present/comparison.hpp"

#include <algorithm>
#include <future>
#include <map>
#include <tuple>

#include <fmt/core.h>

#include "harness/analysis/gate_plan.hpp"
#include "harness/base/error.hpp"
#include "harness/present/repeat.hpp"
#include "harness/present/run_text.hpp"
#include "harness/present/sibling_times.hpp"
#include "harness/run/selection.hpp"
#include "harness/store/siblings.hpp"

namespace ridgeline::present {
namespace {

using analysis::ComparedSide;
using store::FoundRun;

ComparedSide read(const FoundRun& found) {
  const store::Store store = store::Store::open(found.file);
  const std::string& id = found.summary.run.id;
  return {store::stored_run(store, found.summary), store::roofs(store, id),
          store::timings(store, id), status(found)};
}

std::vector<store::StoredMeasurement> read_counts(const FoundRun& found) {
  return store::measurements(store::Store::open(found.file), found.summary.run.id,
                             store::Samples::leave_out);
}

/// Throws a usage Error when a pattern picks no case of either side.
void check_patterns(const std::vector<std::string>& patterns, const ComparedSide& a,
                    const ComparedSide& b) {
  if (patterns.empty()) return;
  std::vector<std::string> names;
  for (const ComparedSide* side : {&a, &b})
    for (const record::Case& info : side->timings.cases) names.push_back(record::name(info.id));
  if (names.empty())
    throw Error(ErrorKind::usage, "neither run holds a measurement",
                "ridgeline runs says what each run holds");
  run::check_patterns(patterns, names);
}

/// Runs by UUID of their GPU.
using Together = std::map<std::string, FoundRun>;

/// `run` and its siblings; empty when it has none, or cannot be read.
Together together_with(const FoundRun& run, const std::vector<FoundRun>& all) {
  const auto others = store::unless_unreadable(
      [](const Error&) {}, [&] { return measured_together(run, all, [](const Error&) {}); });
  if (!others || others->empty()) return {};
  Together found{{run.summary.device.uuid, run}};
  for (const FoundRun& other : *others) found.emplace(other.summary.device.uuid, other);
  return found;
}

bool are_together(const Together& runs, const FoundRun& run) {
  const auto found = runs.find(run.summary.device.uuid);
  return found != runs.end() && found->second.summary.run.id == run.summary.run.id;
}

bool is_named(const FoundRun& run, std::string_view selector) {
  selector.remove_prefix(selector.find('@') + 1);  // npos + 1 is 0
  return selector.starts_with("baseline:") || run.summary.run.id.starts_with(selector);
}

/// One mean over all cases of both runs.
std::optional<analysis::ComparedSuite> mean_of_all(const FoundRun& a, const FoundRun& b,
                                                   const std::vector<std::string>& patterns) {
  analysis::Comparison comparison = analysis::compare(read(a), read(b), patterns);
  for (analysis::ComparedCase& one : comparison.cases) one.id.suite.clear();
  const auto suites = analysis::compare_suites(comparison.cases);
  return suites.empty() ? std::nullopt : std::optional(suites.front());
}

/// Of the GPUs that are in both.
std::vector<ComparedGpu> compare_gpus(const Together& a, const Together& b,
                                      const std::vector<std::string>& patterns) {
  std::vector<ComparedGpu> found;
  for (const auto& [uuid, run] : a)
    if (const auto other = b.find(uuid); other != b.end())
      found.push_back({run.summary.device.id, uuid, run.summary.run.id,
                       other->second.summary.run.id, mean_of_all(run, other->second, patterns)});
  std::ranges::sort(found, {}, [](const ComparedGpu& gpu) {
    return std::tuple(gpu.id.size(), gpu.id, gpu.uuid);
  });
  if (found.size() < 2) found.clear();
  return found;
}

}  // namespace

Sides find_sides(const std::filesystem::path& results, const std::string& a, const std::string& b,
                 const store::LeftOut& left_out) {
  Sides sides;
  sides.a = store::find_run(results, a, left_out);
  // What cannot be read was told with the first side.
  const store::LeftOut told = [](const Error&) {};
  sides.b = store::find_run(results, b, told);
  const record::Device &of_a = sides.a.summary.device, &of_b = sides.b.summary.device;
  if (of_a.model != of_b.model || of_a.kind != DeviceKind::cuda || of_b.kind != DeviceKind::cuda)
    return sides;
  sides.others = store::all_runs(results, told);
  std::erase_if(sides.others,
                [](const FoundRun& run) { return is_repeat(run.summary.run.command_line); });
  if (of_a.uuid == of_b.uuid) return sides;
  const Together with_a = together_with(sides.a, sides.others),
                 with_b = together_with(sides.b, sides.others);
  if (are_together(with_a, sides.b)) return sides;
  if (const auto same = with_b.find(of_a.uuid); same != with_b.end() && !is_named(sides.b, b))
    sides.b = same->second;
  else if (const auto its = with_a.find(of_b.uuid); its != with_a.end() && !is_named(sides.a, a))
    sides.a = its->second;
  return sides;
}

ComparedRuns compare_runs(const Sides& sides, const std::vector<std::string>& patterns) {
  const auto& [a_run, b_run, others] = sides;
  const std::string &a_id = a_run.summary.run.id, &b_id = b_run.summary.run.id;
  if (a_id == b_id)
    throw Error(
        ErrorKind::usage, fmt::format("cannot compare run {} with itself", a_id),
        "ridgeline runs lists the runs; MODEL@latest, label:TEXT, baseline:NAME or an id name one");
  const bool a_counts = analysis::gives_counts(a_run.summary.device.kind),
             b_counts = analysis::gives_counts(b_run.summary.device.kind);
  if (a_counts != b_counts)
    throw Error(
        ErrorKind::usage,
        fmt::format("cannot compare run {}, which {}, with run {}, which {}", a_id,
                    a_counts ? "counted" : "has times", b_id, b_counts ? "counted" : "has times"),
        "ridgeline predict puts counts beside times: as bounds");
  std::future<ComparedSide> reading_b =
      std::async(std::launch::async, [&] { return read(b_run); });  // beside A
  const ComparedSide a = read(a_run), b = reading_b.get();
  check_patterns(patterns, a, b);
  ComparedRuns compared{a_run, b_run, {}, a_counts, {}, {}, 0, {}};
  analysis::Kinship kinship = analysis::Kinship::none;
  if (const Together with_a = together_with(a_run, others); are_together(with_a, b_run)) {
    kinship = analysis::Kinship::siblings;
    compared.host = store::host_of(a_run);
    compared.together = with_a.size();
  } else if (!with_a.empty()) {
    compared.gpus = compare_gpus(with_a, together_with(b_run, others), patterns);
  }
  compared.comparison = analysis::compare(a, b, patterns, kinship);
  if (a_counts)
    compared.counted = analysis::compare_counts(read_counts(a_run), read_counts(b_run), patterns);
  return compared;
}

int compared_cases(const ComparedRuns& compared) {
  if (compared.counts)
    return static_cast<int>(std::ranges::count_if(
        compared.counted, [](const auto& one) { return one.not_compared.empty(); }));
  return static_cast<int>(std::ranges::count_if(
      compared.comparison.cases, [](const auto& one) { return one.ratio.has_value(); }));
}

}  // namespace ridgeline::present
