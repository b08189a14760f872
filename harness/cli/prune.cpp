#include "harness/store/prune.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/cli/command.hpp"
#include "harness/present/json_output.hpp"
#include "harness/present/run_text.hpp"
#include "harness/present/table.hpp"
#include "harness/run/timestamp.hpp"
#include "harness/store/selector.hpp"

namespace ridgeline::cli {
namespace {

struct PruneOptions {
  std::string older_than;
  bool yes = false, dry_run = false, shrink = false;
};

/// What one results file would lose.
struct OldSamples {
  std::filesystem::path file;
  std::vector<store::Prunable> drop, keep;  // baselines are kept
};

/// Days in "90d" or "12w".
int days(const std::string& text) {
  int number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, text.data() + text.size());
  constexpr int longest = 36'500;
  if (failure == std::errc() && number > 0 && number <= longest && (unit == "d" || unit == "w"))
    return unit == "w" ? number * 7 : number;
  throw Error(ErrorKind::usage, fmt::format("--older-than {} is not an age", printable(text)),
              "write a number of days or weeks: 90d, 12w");
}

std::vector<OldSamples> find(const Context& context, const std::string& before, int& left_out) {
  std::vector<OldSamples> all;
  for (const std::filesystem::path& file : store::results_files(context.results)) try {
      OldSamples& old = all.emplace_back(OldSamples{file, {}, {}});
      for (store::Prunable& run : store::prunable(store::Store::open(file), before))
        (run.baselines.empty() ? old.drop : old.keep).push_back(std::move(run));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::store) throw;
      all.pop_back();
      present::say_left_out(error);
      ++left_out;
    }
  return all;
}

store::Prunable sum(const std::vector<store::Prunable>& runs) {
  store::Prunable total;
  for (const store::Prunable& run : runs) {
    total.measurements += run.measurements;
    total.samples += run.samples;
    total.bytes += run.bytes;
  }
  return total;
}

std::string plan_text(const std::vector<OldSamples>& all) {
  using Align = present::Table::Align;
  present::Table table({{"device"},
                        {"runs", Align::right},
                        {"measured from (UTC)"},
                        {"to (UTC)"},
                        {"measurements", Align::right},
                        {"samples", Align::right},
                        {"size", Align::right}});
  std::string kept;
  for (const OldSamples& old : all) {
    for (const store::Prunable& run : old.keep)
      kept +=
          fmt::format("kept: {} samples of run {} of {}, baseline {}\n", run.samples, run.run_id,
                      printable(old.file.stem().string()), fmt::join(run.baselines, " and "));
    if (old.drop.empty()) continue;
    const store::Prunable total = sum(old.drop);
    table.add({printable(old.file.stem().string()), fmt::to_string(old.drop.size()),
               present::point_in_time(old.drop.front().sampled),
               present::point_in_time(old.drop.back().sampled), fmt::to_string(total.measurements),
               fmt::to_string(total.samples), units::bytes(static_cast<double>(total.bytes))});
  }
  return (table.empty() ? "no samples to drop\n" : table.text()) + kept;
}

json::Value run_json(const store::Prunable& run) {
  return {{"run", run.run_id},      {"sampled", run.sampled}, {"measurements", run.measurements},
          {"samples", run.samples}, {"bytes", run.bytes},     {"baselines", run.baselines}};
}

json::Value to_json(const OldSamples& old) {
  return {{"file", old.file.string()},
          {"drop", json::list(old.drop, run_json)},
          {"keep", json::list(old.keep, run_json)}};
}

/// Drops what was found, a run at a time, so that whoever measures meanwhile never waits for long.
std::int64_t drop(const std::vector<OldSamples>& all, bool shrink) {
  std::int64_t samples = 0;
  const std::string now = run::timestamp();
  for (const OldSamples& old : all) {
    if (old.drop.empty() && !shrink) continue;
    store::Store store = store::Store::create(old.file);
    for (const store::Prunable& run : old.drop) samples += store::prune(store, run.run_id, now);
    if (shrink) store::shrink(store);
  }
  return samples;
}

int prune(const Context& context, const PruneOptions& options) {
  const std::string before = run::timestamp(std::int64_t{86'400} * days(options.older_than));
  if (options.yes && options.dry_run)
    throw Error(ErrorKind::usage, "--yes drops samples and --dry-run does not", "give one of them");
  int left_out = 0;
  const std::vector<OldSamples> all = find(context, before, left_out);
  if (!context.json)
    present::say(stdout, fmt::format("samples taken before {} UTC:\n\n{}\n",
                                     present::point_in_time(before), plan_text(all)));
  std::fflush(stdout);
  const std::int64_t samples = options.yes ? drop(all, options.shrink) : 0;
  if (context.json)
    present::print_json(
        {{"before", before}, {"files", json::list(all)}, {"dropped_samples", samples}});
  else if (options.yes)
    present::say(
        stdout,
        fmt::format("dropped {}; medians and all else of their measurements stay{}\n",
                    units::plural(samples, "sample"),
                    options.shrink
                        ? ""
                        : "; new results take their room, and --shrink makes the files smaller"));
  else if (std::ranges::any_of(all, [](const OldSamples& old) { return !old.drop.empty(); }))
    present::say(stdout, fmt::format("nothing was dropped: --yes drops them. Medians and all else "
                                     "of these measurements will "
                                     "stay.\n"));
  return left_out > 0 ? static_cast<int>(ErrorKind::store) : present::fine;
}

}  // namespace

void add_prune(Command program, Context& context) {
  const auto [command, options] =
      add_command(program, context, "prune", "Drop the samples of old runs, and keep their medians",
                  R"(
  ridgeline prune --older-than 90d                  says what it would drop, and drops nothing
  ridgeline prune --older-than 26w --yes            drops it
  ridgeline prune --older-than 26w --yes --shrink   and makes the files smaller: nobody should be
                                                    measuring

A run is as old as its latest process. Of each measurement the median, how many samples there were
and all else stays, so that show, compare, gate and trend say what they said before. show --samples
and export jsonl say when the samples went; export csv has an empty cell for them. Runs that a
baseline stands for keep theirs.)",
                  prune);
  command.option("--older-than", options.older_than, "Age in days or weeks: 90d, 12w",
                 {.value_name = "AGE", .required = true});
  command.flag("--yes", options.yes, "Drop them; without it nothing is changed");
  command.flag("--dry-run", options.dry_run, "Change nothing, as without --yes");
  command.flag("--shrink", options.shrink,
               "With --yes: also write the files anew, without the free space");
  for (const auto add : {add_results_option, add_json_option}) add(command, context);
}

}  // namespace ridgeline::cli
