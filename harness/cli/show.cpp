#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "harness/analysis/summary.hpp"
#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/cli/case_files.hpp"
#include "harness/cli/command.hpp"
#include "harness/present/case_table.hpp"
#include "harness/present/clocks.hpp"
#include "harness/present/hardware_table.hpp"
#include "harness/present/hosts_text.hpp"
#include "harness/present/json_output.hpp"
#include "harness/present/listing.hpp"
#include "harness/present/rate.hpp"
#include "harness/present/repeat.hpp"
#include "harness/present/resume_of.hpp"
#include "harness/present/run_text.hpp"
#include "harness/present/shown_gate.hpp"
#include "harness/present/table.hpp"
#include "harness/present/terminal.hpp"
#include "harness/present/vouched.hpp"
#include "harness/record/json.hpp"
#include "harness/store/selector.hpp"
#include "harness/store/write_imported.hpp"

namespace ridgeline::cli {
namespace {

using analysis::CaseSummary;
using store::StoredMeasurement;

/// A run with everything that `show` prints.
struct Shown : store::StoredRun {
  store::FoundRun found;
  std::string status;
  std::vector<record::Roof> roofs;
  std::vector<record::Facts> files = {};  // that an imported run comes from
  std::vector<record::Facts> hosts = {};  // of ranks
  std::optional<analysis::Clocks> clocks = {};
  std::string resume = {};                 // the line that measures what is left
  std::vector<CaseSummary> cases;          // that the options ask for
  std::size_t measured = 0;                // cases of the run
  std::vector<StoredMeasurement> sampled;  // of the case that --samples names
};

struct ShowOptions {
  std::string selector = "latest", sampled, listed, sort = "name";
  std::vector<std::string> patterns;
  bool failed = false;
};

/// Orders the cases of each suite: the shortest time, the highest rate or share of the roof first,
/// and last what has none.
void sort_by(std::vector<CaseSummary>& cases, const std::string& what) {
  const auto key = [&](const CaseSummary& summary) -> std::pair<int, double> {
    constexpr std::pair<int, double> none{3, 0};
    if (what == "time") return summary.median_ns ? std::pair(0, *summary.median_ns) : none;
    if (what == "roof") return summary.share_of_roof ? std::pair(0, -*summary.share_of_roof) : none;
    const std::optional<present::Rate> reached = present::rate(summary);
    return reached ? std::pair(static_cast<int>(reached->quantity), -reached->value) : none;
  };
  if (what == "name") return;  // as they are
  std::ranges::stable_sort(cases, {}, [&](const CaseSummary& summary) {
    return std::pair(summary.case_info.id.suite, key(summary));
  });
}

/// Keeps what the options ask for, in their order.
void choose(std::vector<CaseSummary>& cases, const ShowOptions& options) {
  std::vector<std::string> names;
  for (const CaseSummary& summary : cases) names.push_back(record::name(summary.case_info.id));
  check_picks(options.patterns, names, "the run", "ridgeline show RUN lists its cases");
  std::erase_if(cases, [&](const CaseSummary& summary) {
    return !any_matches(options.patterns, record::name(summary.case_info.id)) ||
           (options.failed && !record::is_failure(summary.outcome));
  });
  sort_by(cases, options.sort);
}

Shown read(const store::FoundRun& found, const ShowOptions& options) {
  const std::string& id = found.summary.run.id;
  const store::Store store = store::Store::open(found.file);
  Shown shown{store::stored_run(store, found.summary),
              found,
              present::status(found),
              store::roofs(store, id),
              store::imported_from(store, id),
              store::hosts(store, id),
              {},
              {},
              {},
              {},
              {}};
  if (!options.sampled.empty()) {
    shown.sampled = present::measurements_of(store::measurements(store, id, store::Samples::read),
                                             options.sampled);
    return shown;
  }
  const auto measurements = store::measurements(store, id, store::Samples::leave_out);
  shown.resume = present::resuming_line(shown.run, shown.status, measurements, found.file);
  shown.clocks = analysis::clocks_of(measurements);
  shown.cases = analysis::summarise(measurements, shown.roofs, shown.run.unstable);
  shown.measured = shown.cases.size();
  choose(shown.cases, options);
  return shown;
}

std::string facts(const record::Facts& facts) {
  std::string text;
  for (const auto& [key, value] : facts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", printable(key), printable(value));
  return text;
}

/// "out.json (schema 1.0.0, SHA-256 5f3a...); line 7: doubtful"
std::string text_of_file(const record::Facts& file) {
  const auto fact = [&](const char* name) {
    const auto found = file.find(name);
    return found == file.end() ? std::string() : printable(found->second, 4000);
  };
  const std::string schema = fact("schema");
  std::string text = fmt::format("{} ({}SHA-256 {})", fact("file"),
                                 schema.empty() ? "" : "schema " + schema + ", ", fact("sha256"));
  for (const auto& [name, what] : file)
    if (name.starts_with("doubt ")) text += "; " + printable(what, 1000);
  return text;
}

void print_head(const Shown& shown, const present::Look& look) {
  const record::Run& run = shown.run;
  const record::Device& device = shown.device;
  constexpr std::size_t texts = 14;  // the column in which they begin
  const auto typed = [&](const char* what, const std::string& text) {
    present::say(stdout, fmt::format("  {:<12}{}\n", what, text));
  };
  const auto line = [&](const char* what, const std::string& text) {
    if (!text.empty())
      present::say(stdout, fmt::format("  {:<12}{}", what,
                                       present::wrapped(text, look.width, texts, texts)));
  };
  present::say(stdout, fmt::format("run {}: {}\n", run.id, shown.status));
  if (!run.imported.empty())
    line("imported",
         fmt::format("from {}: nobody compared an output with an oracle", printable(run.imported)));
  for (const record::Facts& file : shown.files) line("from", text_of_file(file));
  line("device", fmt::format("{} ({}), {}, {}", printable(device.name), printable(device.model),
                             printable(device.id), printable(device.uuid)));
  line("started", present::point_in_time(run.started) + " UTC");
  line("finished", run.finished.empty() ? "" : present::point_in_time(run.finished) + " UTC");
  line("profile", fmt::format("{}, seed {}", printable(run.profile), run.seed));
  line("label", printable(run.label));
  typed("command", printable(run.command_line, 4000));  // whole, to be copied
  for (const record::Build& build : shown.builds)
    line("worker", fmt::format("{} {}{}, {}{}{}", printable(build.worker),
                               printable(build.commit.substr(0, 12)),
                               build.dirty ? " with local changes" : "", printable(build.compiler),
                               build.cuda.empty() ? "" : ", CUDA ", printable(build.cuda)));
  if (shown.clocks) line("clocks", present::clocks_text(*shown.clocks));
  line("comparable", facts(shown.environment.comparable));
  line("recorded", facts(shown.environment.recorded));
  for (const std::string& host : present::hosts_text(shown.hosts)) line("host", host);
  typed("file", shown.found.file.string());
}

void print_roofs(const std::vector<record::Roof>& roofs, const present::Look& look) {
  if (roofs.empty()) return;
  present::Table table({{"roof"},
                        {"value", present::Table::Align::right},
                        {"source", present::Table::Align::left, true}});
  for (const record::Roof& roof : roofs)
    table.add(
        {printable(roof.kind), units::quantity(roof.value, roof.unit), printable(roof.source)});
  present::say(stdout, fmt::format("\n{}", table.text(look.width)));
}

void print_cases(const Shown& shown, const present::Look& look) {
  if (shown.cases.empty()) {
    present::say(stdout, fmt::format("\n{}\n", shown.measured == 0 ? "nothing was measured"
                                                                   : "no case failed"));
    return;
  }
  present::say(stdout, fmt::format("\n{}\n{}{}: {}\n", present::case_table(shown.cases, look),
                                   shown.cases.size() < shown.measured
                                       ? fmt::format("{} of ", shown.cases.size())
                                       : "",
                                   units::plural(static_cast<std::int64_t>(shown.measured), "case"),
                                   present::outcome_counts(shown.cases)));
  if (const std::string hardware = present::hardware_table(shown.cases, look); !hardware.empty())
    present::say(stdout, fmt::format("\n{}\n", hardware));
  if (const std::string vouched = present::vouched_text(shown.cases); !vouched.empty())
    present::say(stdout, vouched + "\n");
  if (!shown.resume.empty())
    present::say(stdout, fmt::format("resume: {}\n", printable(shown.resume, 4000)));
  const std::string repeat = present::repeating_failures(shown.run, shown.device.id, shown.cases);
  if (!repeat.empty())
    present::say(stdout, fmt::format("repeat what failed: {}\n", printable(repeat, 4000)));
}

void print_samples(const std::vector<StoredMeasurement>& measurements) {
  for (const StoredMeasurement& stored : measurements) {
    const record::Measurement& m = stored.measurement;
    present::say(stdout,
                 fmt::format("{}, replicate {}, attempt {}: {}{}{}\n", printable(m.case_name, 400),
                             stored.replicate, m.attempt, to_string(m.outcome),
                             m.reason.empty() ? "" : ": ", printable(m.reason, 1000)));
    if (!m.median_ns) continue;
    const std::string vouched = present::vouched_text(m);
    present::say(stdout,
                 fmt::format("  {} samples of {} executions each, median {}{}{}; {}\n",
                             m.sample_count(), m.executions_per_sample, units::time(*m.median_ns),
                             vouched.empty() ? "" : ", ", vouched,
                             m.pruned ? fmt::format("dropped by ridgeline prune on {} UTC",
                                                    present::point_in_time(m.pruned->when))
                                      : "ns of one execution, in the order taken:"));
    std::string samples;
    for (const double ns : m.samples_ns) samples += fmt::format("  {}\n", ns);
    present::say(stdout, samples);
  }
}

json::Value json_of(const Shown& shown) {
  json::Value all{{"run", present::to_json(shown.found)},
                  {"device", record::to_json(shown.device)},
                  {"environment", record::to_json(shown.environment)},
                  {"builds", json::list(shown.builds)},
                  {"roofs", json::list(shown.roofs)}};
  all["run"]["status"] = shown.status;
  if (!shown.files.empty())
    all["imported_from"] =
        json::list(shown.files, [](const auto& file) { return json::Value(file); });
  if (!shown.hosts.empty())
    all["hosts"] = json::list(shown.hosts, [](const auto& hosts) { return json::Value(hosts); });
  if (shown.clocks) all["clocks"] = present::to_json(*shown.clocks);
  for (const CaseSummary& summary : shown.cases) all["cases"].push_back(present::to_json(summary));
  for (const StoredMeasurement& stored : shown.sampled) {
    json::Value measurement{{"replicate", stored.replicate}};
    measurement.update(record::to_json(stored.measurement));
    present::add_pruned(measurement, stored.measurement);
    all["measurements"].push_back(measurement);
  }
  return all;
}

int show_run(const Context& context, const store::FoundRun& found, const ShowOptions& options) {
  const Shown shown = read(found, options);
  const present::Look look = present::look_of(stdout);
  if (context.json) {
    present::print_json(json_of(shown));
  } else if (!options.sampled.empty()) {
    print_samples(shown.sampled);
  } else {
    print_head(shown, look);
    print_roofs(shown.roofs, look);
    print_cases(shown, look);
  }
  return present::fine;
}

int show(const Context& context, const ShowOptions& given) {
  ShowOptions options = given;
  options.patterns = stored_patterns(given.patterns);
  store::RunOrGate found =
      store::find_run_or_gate(context.results, options.selector, present::say_left_out);
  const bool of_runs = !options.patterns.empty() || options.failed || options.sort != "name" ||
                       !options.listed.empty();
  // What only runs have is asked of the latest run, also where a gate is newer, unless that is
  // named.
  if (const auto* gate = std::get_if<store::FoundGate>(&found);
      gate && of_runs && !gate->summary.gate.id.starts_with(options.selector))
    found = store::find_run(context.results, options.selector, present::say_left_out);
  if (const auto* gate = std::get_if<store::FoundGate>(&found)) {
    const std::string& id = gate->summary.gate.id;
    const std::string& run = gate->summary.gate.candidate_run;
    if (!options.listed.empty())
      throw Error(ErrorKind::usage, fmt::format("gate {} has no listing: its runs have", id),
                  fmt::format("ridgeline show --listing CASE {}", run));
    if (of_runs)
      throw Error(
          ErrorKind::usage,
          fmt::format("gate {} is shown whole: PATTERN, --sort and --failed are for runs", id),
          fmt::format("ridgeline show {} shows the candidate's run", run));
    return present::show_gate(*gate, options.sampled, context.json);
  }
  const store::FoundRun& run = std::get<store::FoundRun>(found);
  return options.listed.empty() ? show_run(context, run, options)
                                : present::show_listing(run, options.listed, context.json);
}

}  // namespace

void add_show(Command program, Context& context) {
  const auto [command, options] = add_command(
      program, context, "show",
      "Show one run: circumstances, results, and what was not ok and why; or one gate: verdicts",
      R"(
  ridgeline show                              the latest run or gate, whichever is newer
  ridgeline show 20261120T1245                by the start of its id
  ridgeline show h200@label:try               by model, and label; also @latest, @commit:1a2b3c,
                                              @baseline:main
  ridgeline show latest 'gemm/*/f32' --sort roof
                                              only these cases, those nearest to their roof first
  ridgeline show --failed                     only cases with a wrong result, a crash or a timeout
  ridgeline show --samples gemm/naive latest  every sample of these cases; of a gate, its pairs
  ridgeline show --listing 'gemm/*' latest    source with what each line asks of memory, if counted
  ridgeline show --json latest                for programs

Labels and commits are those of runs. A gate measures two runs of its own, which are shown by their
whole ids alone; the gate names them. The exit code is 0 whatever the run or gate found.)",
      show);
  command.option("RUN|GATE", options.selector, "Which run or gate", {.default_text = "latest"});
  command.option("PATTERN", options.patterns,
                 "Globs on the names of a run's cases; without any, all", {.value_name = ""});
  command.option("--sort", options.sort,
                 "Order within each suite: shortest time, highest rate or share of the roof first",
                 {.default_text = "name", .one_of = {"name", "time", "rate", "roof"}});
  command.flag("--failed", options.failed,
               "Show only cases with a wrong result, a crash or a timeout");
  command.option("--samples", options.sampled,
                 "Print the samples, or pairs, of this case, or of all that a pattern picks",
                 {.value_name = "CASE"});
  command.option("--listing", options.listed,
                 "Print the annotated source of this case, or of all that a pattern picks, counted "
                 "on an emulated device",
                 {.value_name = "CASE"});
  command.exclusive({"--samples", "--listing"});
  for (const auto add : {add_results_option, add_json_option}) add(command, context);
}

}  // namespace ridgeline::cli
