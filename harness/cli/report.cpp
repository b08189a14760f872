#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <system_error>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/repeat.hpp"
#include "harness/cli/report_draw.hpp"
#include "harness/cli/show_gate.hpp"
#include "harness/present/comparison.hpp"
#include "harness/present/json_output.hpp"
#include "harness/present/report_data.hpp"
#include "harness/present/run_text.hpp"
#include "harness/present/trend.hpp"
#include "harness/run/timestamp.hpp"
#include "harness/store/selector.hpp"

namespace ridgeline::cli {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::string selector;               // empty: the newest finished run of each model
  std::string gate;                   // empty: the newest finished gate of each of these models
  std::vector<std::string> compared;  // two runs; empty: those of the only two models of one kind
  int nights = 90;                    // that are drawn; 0: none
  std::string output;                 // empty: report/ in the results folder
};

/// So many nights make a trend: from then on a case can have stopped.
constexpr std::size_t fewest_nights = analysis::stopped_nights;

/// The newest of `all`, which are sorted so, that is finished, for each device model; where none is, the newest one.
/// The page says which.
template <class Found>
std::vector<Found> newest_of_each_model(std::vector<Found> all, bool (*finished)(const Found&)) {
  std::map<std::string, Found> newest;
  for (Found& found : all) {
    const auto [place, added] = newest.try_emplace(found.summary.device.model, found);
    if (!added && !finished(place->second) && finished(found)) place->second = std::move(found);
  }
  std::vector<Found> chosen;
  for (auto& [model, found] : newest) chosen.push_back(std::move(found));
  return chosen;
}

/// Of runs that hold something and were not measured for a gate.
std::vector<store::FoundRun> newest_runs(const fs::path& results, const store::LeftOut& left_out) {
  std::vector<store::FoundRun> runs = store::all_runs(results, left_out);
  std::erase_if(runs, [](const store::FoundRun& found) {
    return found.summary.measurements == 0 || !found.summary.run.gate.empty();
  });
  return newest_of_each_model<store::FoundRun>(std::move(runs), [](const store::FoundRun& found) {
    return found.summary.run.status == record::RunStatus::finished;
  });
}

/// Of gates that say something.
std::vector<store::FoundGate> newest_gates(const fs::path& results, const store::LeftOut& left_out) {
  std::vector<store::FoundGate> gates = store::all_gates(results, left_out);
  std::erase_if(gates, [](const store::FoundGate& found) { return found.summary.verdicts.empty(); });
  return newest_of_each_model<store::FoundGate>(std::move(gates), [](const store::FoundGate& found) {
    return found.summary.gate.status == record::RunStatus::finished;
  });
}

/// The runs that are compared without being asked for: of the only two models with times of one kind of device. A CPU
/// beside a GPU says little.
std::optional<std::pair<store::FoundRun, store::FoundRun>> two_models(const std::vector<store::FoundRun>& runs) {
  std::map<DeviceKind, std::vector<const store::FoundRun*>> by_kind;
  for (const store::FoundRun& one : runs)
    if (!analysis::gives_counts(one.summary.device.kind)) by_kind[one.summary.device.kind].push_back(&one);
  std::optional<std::pair<store::FoundRun, store::FoundRun>> two;
  for (const auto& [kind, of] : by_kind)
    if (of.size() == 2 && (!two || kind == DeviceKind::cuda)) two.emplace(*of[0], *of[1]);
  return two;
}

/// What the report is about.
struct Chosen {
  std::vector<store::FoundRun> runs;
  std::vector<store::FoundGate> gates;
  std::vector<analysis::DeviceTrend> trends;
  analysis::TrendRules trend_rules;
  std::vector<present::ComparedRuns> comparisons;
};

/// Of all devices with enough nights; where a run was asked for, of its device and profile.
std::vector<analysis::DeviceTrend> choose_trends(const fs::path& results, const Chosen& chosen,
                                                 const ReportOptions& options, const store::LeftOut& left_out) {
  if (chosen.runs.empty() || options.nights == 0) return {};
  analysis::SeriesChoice choice;
  if (!options.selector.empty()) {
    const store::RunSummary& run = chosen.runs.front().summary;
    choice.device = run.device.uuid.empty() ? run.device.model : run.device.uuid;
    choice.profile = run.run.profile;
  }
  std::vector<analysis::DeviceTrend> trends;
  try {
    for (analysis::NightlyDevice& device : analysis::nightly_series(results, choice, left_out))
      if (device.nights.size() >= fewest_nights)
        trends.push_back(analysis::trend_of(std::move(device), chosen.trend_rules));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::store) throw;
    left_out(error);  // the runs themselves can be read
  }
  return trends;
}

std::vector<present::ComparedRuns> choose_comparisons(const fs::path& results, const Chosen& chosen,
                                                      const ReportOptions& options, const store::LeftOut& left_out) {
  if (!options.compared.empty())
    return {present::compare_runs(store::find_run(results, options.compared[0], left_out),
                                  store::find_run(results, options.compared[1], left_out), {})};
  const auto two = two_models(chosen.runs);
  if (!two) return {};
  present::ComparedRuns compared = present::compare_runs(two->first, two->second, {});
  if (present::compared_cases(compared) == 0) return {};  // nobody has asked for it
  return {std::move(compared)};
}

Chosen choose(const fs::path& results, const ReportOptions& options) {
  std::set<std::string> said;
  const store::LeftOut left_out = [&](const Error& error) {
    if (said.insert(error.what()).second) present::say_left_out(error);
  };
  Chosen chosen;
  chosen.runs = options.selector.empty() ? newest_runs(results, left_out)
                                         : std::vector{store::find_run(results, options.selector, left_out)};
  chosen.gates = options.gate.empty() ? newest_gates(results, left_out)
                                      : std::vector{store::find_gate(results, options.gate, left_out)};
  if (!options.selector.empty() && options.gate.empty())
    std::erase_if(chosen.gates, [&](const store::FoundGate& gate) {
      return gate.summary.device.model != chosen.runs.front().summary.device.model;
    });
  if (chosen.runs.empty() && chosen.gates.empty())
    throw Error(ErrorKind::store, fmt::format("no run in {} holds a measurement", results.string()),
                "ridgeline run measures some");
  chosen.trend_rules.shown_nights = static_cast<std::size_t>(std::max(1, options.nights));
  chosen.trends = choose_trends(results, chosen, options, left_out);
  chosen.comparisons = choose_comparisons(results, chosen, options, left_out);
  return chosen;
}

json::Value document_of(const fs::path& results, const Chosen& chosen) {
  const std::vector<store::FoundRun> all = store::all_runs(results, [](const Error&) {});
  std::vector<present::ReportRun> runs;
  for (const store::FoundRun& one : chosen.runs) {
    const record::Run& run = one.summary.run;
    runs.push_back(present::read_report_run(store::Store::open(one.file), one.summary, present::status(one, all),
                                            repeating_line(run.command_line, one.summary.device.id, run.seed)));
  }
  json::Value document = present::report_document(runs, run::timestamp(), RIDGELINE_VERSION);
  for (const char* key : {"gates", "trends", "comparisons"}) document[key] = json::Value::array();
  for (const store::FoundGate& one : chosen.gates) document["gates"].push_back(report_json(one, results));
  for (const analysis::DeviceTrend& trend : chosen.trends)
    document["trends"].push_back(present::report_json(trend, chosen.trend_rules));
  for (const present::ComparedRuns& compared : chosen.comparisons)
    document["comparisons"].push_back(present::report_json(compared, all));
  return document;
}

/// What the report is about, a line each.
void say_chosen(const Chosen& chosen) {
  const auto run_on = [](const store::RunSummary& summary) {
    return fmt::format("run {} on {}", printable(summary.run.id), printable(summary.device.model));
  };
  for (const store::FoundRun& one : chosen.runs)
    fmt::print("{}, {}\n", run_on(one.summary), record::to_string(one.summary.run.status));
  for (const store::FoundGate& one : chosen.gates)
    fmt::print("gate {} on {}, {}\n", printable(one.summary.gate.id), printable(one.summary.device.model),
               record::to_string(one.summary.gate.status));
  for (const analysis::DeviceTrend& one : chosen.trends)
    fmt::print("{} nights of {}, profile {}\n", one.nights.nights.size(), printable(one.nights.device.model),
               printable(one.nights.profile));
  for (const present::ComparedRuns& one : chosen.comparisons)
    fmt::print("{} beside {}\n", run_on(one.a.summary), run_on(one.b.summary));
}

[[noreturn]] void cannot_write(const fs::path& file, const std::string& why) {
  throw Error(ErrorKind::store, fmt::format("cannot write {}: {}", file.string(), why),
              "--output names another folder");
}

/// Writes beside the file first, so that there is never half a document.
void write_document(const fs::path& file, const std::string& text) {
  std::error_code failure;
  fs::create_directories(file.parent_path(), failure);
  if (failure) cannot_write(file, failure.message());
  const fs::path part = file.string() + ".part";
  std::ofstream stream(part, std::ios::binary);
  stream << text << '\n';
  stream.close();
  if (!stream) cannot_write(file, std::strerror(errno));
  fs::rename(part, file, failure);
  if (failure) cannot_write(file, failure.message());
}

int report(const Context& context, const ReportOptions& options) {
  if (!options.compared.empty() && options.compared.size() != 2)
    throw Error(ErrorKind::usage, "--compare takes two runs", "ridgeline report --compare h100 a100");
  if (options.nights < 0) throw Error(ErrorKind::usage, "--nights is 0 or more", "0 leaves nights out");
  const fs::path output = options.output.empty() ? fs::path(context.results) / "report" : fs::path(options.output);
  const bool talks = !context.quiet && !context.json;
  const Chosen chosen = choose(context.results, options);
  const fs::path document = output / "report.json", page = output / "index.html";
  write_document(document, document_of(context.results, chosen).dump(1));
  if (talks) say_chosen(chosen);
  draw_report(document, output, talks);
  if (!context.json) {
    fmt::print("report: {}\n", page.string());
    return present::fine;
  }
  json::Value said{{"page", page.string()}, {"figures", (output / "figures").string()}, {"data", document.string()}};
  for (const char* key : {"runs", "gates", "trends", "comparisons"}) said[key] = json::Value::array();
  for (const store::FoundRun& one : chosen.runs) said["runs"].push_back(one.summary.run.id);
  for (const store::FoundGate& one : chosen.gates) said["gates"].push_back(one.summary.gate.id);
  for (const analysis::DeviceTrend& one : chosen.trends)
    said["trends"].push_back({{"model", one.nights.device.model},
                              {"device_uuid", one.nights.device.uuid},
                              {"profile", one.nights.profile},
                              {"nights", one.nights.nights.size()}});
  for (const present::ComparedRuns& one : chosen.comparisons)
    said["comparisons"].push_back({{"a", one.a.summary.run.id}, {"b", one.b.summary.run.id}});
  present::print_json(said);
  return present::fine;
}

}  // namespace

void add_report(Command program, Context& context) {
  const auto options = std::make_shared<ReportOptions>();
  const Command command = add_command(
      program, context, "report", "Draw what was measured as one HTML page and PNG figures",
      "  ridgeline report                      the newest finished run and gate of each device model, and its nights\n"
      "  ridgeline report latest               the newest run of all\n"
      "  ridgeline report h200@label:tuned     that model's newest run with that label\n"
      "  ridgeline report --gate latest        with this gate in place of each model's newest\n"
      "  ridgeline report --compare h100 a100  with these two runs side by side\n"
      "  ridgeline report --output page        elsewhere than in results/report\n\n"
      "Nights are drawn from the third on. Where the runs are of two models of one kind of device, they are\n"
      "compared. docs/report.md says how to read each figure.",
      [&context, options] { return report(context, *options); });
  command.option("RUN", options->selector, "A run: latest, an id's beginning, label:, commit:, MODEL@...");
  command.option("--gate", options->gate, "A gate: latest, an id's beginning, MODEL@...").value_name("GATE");
  command
      .option("--compare", options->compared, "Two runs, as for compare; compared in place of the newest of two models")
      .values(2)
      .value_name("A B");
  command.option("--nights", options->nights, "Draw the last N nights; 0 for none").value_name("N").default_text("90");
  command.option("--output", options->output, "Folder for index.html, report.json and figures/").value_name("DIR");
  add_results_option(command, context);
  add_json_option(command, context);
  add_quiet_option(command, context);
}

}  // namespace ridgeline::cli
