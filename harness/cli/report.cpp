#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "harness/analysis/standing.hpp"
#include "harness/base/day.hpp"
#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/version.hpp"
#include "harness/present/best_cases.hpp"
#include "harness/present/claims.hpp"
#include "harness/present/comparison.hpp"
#include "harness/present/json_output.hpp"
#include "harness/present/report_data.hpp"
#include "harness/present/report_histories.hpp"
#include "harness/present/report_text.hpp"
#include "harness/present/run_reader.hpp"
#include "harness/present/run_text.hpp"
#include "harness/present/said_lines.hpp"
#include "harness/present/shown_gate.hpp"
#include "harness/present/trend.hpp"
#include "harness/present/write_document.hpp"
#include "harness/process/home.hpp"
#include "harness/process/launcher.hpp"
#include "harness/process/python_worker.hpp"
#include "harness/process/tool.hpp"
#include "harness/run/claims.hpp"
#include "harness/run/ladders.hpp"
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
  std::vector<std::string> formats;   // of the files of each figure; empty: all
  bool text = false;                  // print it, and write nothing
  bool claims = false;                // print what textbooks say beside results, and nothing else
  bool markdown = false;              // of the claims
};

/// So many nights make a trend: from then on a case can have stopped.
constexpr std::size_t fewest_nights = analysis::stopped_nights;

bool is_finished(const store::FoundRun& found) {
  return found.summary.run.status == record::RunStatus::finished;
}
bool is_finished(const store::FoundGate& found) {
  return found.summary.gate.status == record::RunStatus::finished;
}

/// The newest of `all`, which are sorted so, that is finished, for each device model; where none
/// is, the newest one. The page says which.
template <class Found>
std::vector<Found> newest_of_each_model(const std::vector<Found>& all) {
  std::map<std::string, Found> newest;
  for (const Found& found : all) {
    const auto [place, added] = newest.try_emplace(found.summary.device.model, found);
    if (!added && !is_finished(place->second) && is_finished(found)) place->second = found;
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
  return newest_of_each_model(runs);
}

/// Of gates that say something.
std::vector<store::FoundGate> newest_gates(const fs::path& results,
                                           const store::LeftOut& left_out) {
  std::vector<store::FoundGate> gates = store::all_gates(results, left_out);
  std::erase_if(gates,
                [](const store::FoundGate& found) { return found.summary.verdicts.empty(); });
  return newest_of_each_model(gates);
}

/// The runs that are compared without being asked for: of the only two models with times of one
/// kind of device. A CPU beside a GPU says little.
std::optional<std::pair<store::FoundRun, store::FoundRun>> two_models(
    const std::vector<store::FoundRun>& runs) {
  std::map<DeviceKind, std::vector<const store::FoundRun*>> by_kind;
  for (const store::FoundRun& one : runs)
    if (!analysis::gives_counts(one.summary.device.kind))
      by_kind[one.summary.device.kind].push_back(&one);
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

/// The device of the run that was asked for; empty where none was: all are meant.
std::string asked_device(const Chosen& chosen, const ReportOptions& options) {
  if (options.selector.empty()) return {};
  const record::Device& device = chosen.runs.front().summary.device;
  return device.uuid.empty() ? device.model : device.uuid;
}

/// Of all devices with enough nights; where a run was asked for, of its device and profile.
std::vector<analysis::DeviceTrend> choose_trends(const fs::path& results, const Chosen& chosen,
                                                 const ReportOptions& options,
                                                 const store::LeftOut& left_out) {
  if (chosen.runs.empty() || options.nights == 0) return {};
  const std::string now = run::timestamp();
  analysis::SeriesChoice choice;
  choice.now = parse_point_in_time(now);
  choice.device = asked_device(chosen, options);
  if (!options.selector.empty()) choice.profile = chosen.runs.front().summary.run.profile;
  std::vector<analysis::DeviceTrend> trends;
  try {
    for (analysis::NightlyDevice& device : analysis::nightly_series(results, choice, left_out))
      if (device.nights.size() >= fewest_nights) {
        const analysis::Remembered remembered =
            analysis::remembered(store::Store::open(device.file), device, "");
        trends.push_back(analysis::trend_of(std::move(device), chosen.trend_rules));
        analysis::stand(trends.back(), remembered, chosen.trend_rules, now);
      }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::store) throw;
    left_out(error);  // the runs themselves can be read
  }
  return trends;
}

std::vector<present::ComparedRuns> choose_comparisons(const fs::path& results, const Chosen& chosen,
                                                      const ReportOptions& options,
                                                      const store::LeftOut& left_out) {
  if (!options.compared.empty())
    return {present::compare_runs(store::find_run(results, options.compared[0], left_out),
                                  store::find_run(results, options.compared[1], left_out), {})};
  const auto two = two_models(chosen.runs);
  if (!two) return {};
  present::ComparedRuns compared = present::compare_runs(two->first, two->second, {});
  if (present::compared_cases(compared) == 0) return {};  // nobody has asked for it
  return {std::move(compared)};
}

Chosen choose(const fs::path& results, const ReportOptions& options,
              const store::LeftOut& left_out) {
  Chosen chosen;
  chosen.runs = options.selector.empty()
                    ? newest_runs(results, left_out)
                    : std::vector{store::find_run(results, options.selector, left_out)};
  chosen.gates = options.gate.empty()
                     ? newest_gates(results, left_out)
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

/// `runs` are the chosen ones.
json::Value document_of(const Chosen& chosen, const std::vector<present::ReportRun>& runs,
                        const present::RunReader& reader) {
  json::Value document = present::report_document(runs, run::timestamp(), version());
  document["gates"] =
      json::list(chosen.gates, [](const auto& one) { return present::report_json(one); });
  document["trends"] = json::list(chosen.trends, [&](const auto& one) {
    return present::report_json(one, chosen.trend_rules);
  });
  document["comparisons"] = json::list(
      chosen.comparisons, [&](const auto& one) { return present::report_json(one, reader.all()); });
  return document;
}

/// What the report is about, a line each.
void say_chosen(const Chosen& chosen, const std::vector<store::FoundRun>& all) {
  const auto run_on = [](const store::RunSummary& summary) {
    return fmt::format("run {} on {}", printable(summary.run.id), printable(summary.device.model));
  };
  for (const store::FoundRun& one : chosen.runs)
    present::say(stdout, fmt::format("{}, {}\n", run_on(one.summary), present::status(one, all)));
  for (const store::FoundGate& one : chosen.gates)
    present::say(stdout,
                 fmt::format("gate {} on {}, {}\n", printable(one.summary.gate.id),
                             printable(one.summary.device.model), present::status(one, all)));
  for (const analysis::DeviceTrend& one : chosen.trends)
    present::say(stdout,
                 fmt::format("{} nights of {}, profile {}\n", one.nights.nights.size(),
                             printable(one.nights.device.model), printable(one.nights.profile)));
  for (const present::ComparedRuns& one : chosen.comparisons)
    present::say(stdout,
                 fmt::format("{} beside {}\n", run_on(one.a.summary), run_on(one.b.summary)));
}

/// The best of each suite of each run with times.
void say_best(const json::Value& document) {
  const auto& runs = document.at("runs").elements();
  for (const json::Value& run : runs) {
    const std::string table = present::best_table(run.at("best"));
    if (table.empty()) continue;
    if (runs.size() > 1)
      present::say(stdout, fmt::format("{}:\n", printable(run.at("device").at("model").text())));
    present::say(stdout, fmt::format("{}\n", table));
  }
}

[[noreturn]] void refuse(const std::string& interpreter, const char* why) {
  throw Error(
      ErrorKind::dependency, fmt::format("cannot draw the report: {} {}", interpreter, why),
      "run ci/setup, or set RIDGELINE_PYTHON to a Python that has reports/requirements.txt");
}

/// Whether `interpreter` does what a Python is told to do.
bool is_python(const std::string& interpreter) {
  return process::run_tool({interpreter, {"-c", "raise SystemExit(42)"}, {}}).exit_code == 42;
}

/// Runs the Python package `reports` on `document`; its messages go to our stderr. Throws an Error
/// when it does not end well: of kind dependency when there is no Python or a module is missing.
void draw_report(const fs::path& document, const fs::path& output,
                 const std::vector<std::string>& formats) {
  const fs::path home = process::home();
  const std::string interpreter = process::python(home);
  if (process::find_on_path(interpreter).empty())
    refuse(interpreter, "is not there, or cannot be executed");
  std::vector<std::string> arguments{"-m", "reports", "--output=" + output.string()};
  if (!formats.empty()) arguments.push_back(fmt::format("--formats={}", fmt::join(formats, ",")));
  arguments.insert(arguments.end(), {"--", document.string()});
  // With this clone's package `reports`, and no other.
  const process::Tool tool{
      interpreter,
      arguments,
      {{"PYTHONPATH", home.string()}, {"PYTHONSAFEPATH", "1"}, {"PYTHONDONTWRITEBYTECODE", "1"}}};
  present::SaidLines errors(stderr);
  const process::ToolResult drawn = process::run_tool(tool, &errors);
  if (drawn.fine) return;
  ErrorKind kind = ErrorKind::internal;
  for (const ErrorKind known : {ErrorKind::dependency, ErrorKind::store})
    if (drawn.exit_code == static_cast<int>(known)) kind = known;
  if (drawn.exit_code && kind == ErrorKind::internal && !is_python(interpreter))
    refuse(interpreter, "is no Python");
  throw Error(kind, fmt::format("cannot draw the report: {} {}", interpreter, drawn.ending),
              fmt::format("its data is complete in {}; to draw it: {} -m reports {} --output {}",
                          document.string(), interpreter, document.string(), output.string()));
}

json::Value trend_json(const analysis::NightlyDevice& nights) {
  return {{"model", nights.device.model},
          {"device_uuid", nights.device.uuid},
          {"profile", nights.profile},
          {"nights", nights.nights.size()}};
}

int report_claims(const Context& context, const ReportOptions& options) {
  const auto devices =
      present::find_claims(context.results, options.selector, run::load_claims(process::home()));
  if (context.json)
    present::print_json(present::to_json(devices));
  else
    present::say(stdout, options.markdown
                             ? present::claims_markdown(devices)
                             : present::claims_text(devices, present::look_of(stdout).width));
  return present::fine;
}

int report(const Context& context, const ReportOptions& options) {
  if (options.markdown && !options.claims)
    throw Error(ErrorKind::usage, "--markdown is of --claims",
                "ridgeline report --claims --markdown");
  if (options.claims) return report_claims(context, options);
  if (!options.compared.empty() && options.compared.size() != 2)
    throw Error(ErrorKind::usage, "--compare takes two runs",
                "ridgeline report --compare h100 a100");
  if (options.nights < 0)
    throw Error(ErrorKind::usage, "--nights is 0 or more", "0 leaves nights out");
  const fs::path output =
      options.output.empty() ? fs::path(context.results) / "report" : fs::path(options.output);
  const bool talks = !context.quiet && !context.json;
  std::set<std::string> said;
  const store::LeftOut left_out = [&](const Error& error) {
    if (said.insert(error.what()).second) present::say_left_out(error);
  };
  const Chosen chosen = choose(context.results, options, left_out);
  present::RunReader reader(store::all_runs(context.results, [](const Error&) {}),
                            run::load_ladders(process::home()));
  const fs::path data = output / "report.json", page = output / "index.html";
  std::vector<present::ReportRun> runs;
  for (const store::FoundRun& one : chosen.runs) runs.push_back(reader.read(one));
  json::Value document = document_of(chosen, runs, reader);
  if (options.text) {
    present::say(stdout, present::report_text(document, present::glyphs_of_locale(),
                                              present::look_of(stdout).width));
    return present::fine;
  }
  std::error_code failure;
  if (fs::create_directories(output, failure); failure)
    throw Error(ErrorKind::store,
                fmt::format("cannot make the folder {}: {}", output.string(), failure.message()),
                "check the path and its permissions, or choose another folder with --output");
  std::set<std::string> shown;
  for (const store::FoundRun& one : chosen.runs) shown.insert(one.summary.run.id);
  present::ReportHistories histories = present::report_histories(
      context.results, asked_device(chosen, options), shown, reader, left_out);
  json::put(document, "commits", histories.commits);
  const std::string model = options.selector.empty() ? "" : runs.front().device.model;
  const json::Value claims = present::report_json(present::stored_claims(
      reader.all(), model, runs, run::load_claims(process::home()), left_out));
  if (claims.size() > 0) document["claims"] = claims;
  document["histories"] = std::move(histories.devices);
  write_file(data, [&](std::ostream& stream) { present::write_document(stream, document); });
  if (talks) say_chosen(chosen, reader.all());
  draw_report(data, output, options.formats);
  if (talks) say_best(document);
  if (!context.json) {
    present::say(stdout, fmt::format("report: {}\n", page.string()));
    return present::fine;
  }
  present::print_json(
      {{"page", page.string()},
       {"figures", (output / "figures").string()},
       {"data", data.string()},
       {"runs", json::list(chosen.runs, [](const auto& one) { return one.summary.run.id; })},
       {"gates", json::list(chosen.gates, [](const auto& one) { return one.summary.gate.id; })},
       {"trends",
        json::list(chosen.trends, [](const auto& one) { return trend_json(one.nights); })},
       {"comparisons", json::list(chosen.comparisons, [](const auto& one) {
          return json::Value{{"a", one.a.summary.run.id}, {"b", one.b.summary.run.id}};
        })}});
  return present::fine;
}

}  // namespace

void add_report(Command program, Context& context) {
  const auto [command, options] =
      add_command(program, context, "report",
                  "Draw what was measured as a folder of HTML pages, with figures as files",
                  R"(
  ridgeline report                      the newest finished run and gate of each device model, and
                                        its nights
  ridgeline report latest               the newest run of all
  ridgeline report h200@label:tuned     that model's newest run with that label
  ridgeline report --gate latest        with this gate in place of each model's newest
  ridgeline report --compare h100 a100  with these two runs side by side
  ridgeline report --output page        elsewhere than in results/report
  ridgeline report --formats png,csv    figures as PNG and the data that they draw, no SVG and PDF
  ridgeline report --text               its tables and a small roofline, here; nothing is written
  ridgeline report --claims             what textbooks say, beside what is stored of each device;
                                        also --json, or --markdown for a page

Nights are drawn from the third on. Where the runs are of two models of one kind of device, they are
compared. docs/report.md says how to read each figure, docs/claims.md how claims are judged.)",
                  report, "nothing was drawn");
  command.option("RUN", options.selector,
                 "A run: latest, an id's beginning, label:, commit:, MODEL@...");
  command.option("--gate", options.gate, "A gate: latest, an id's beginning, MODEL@...",
                 {.value_name = "GATE"});
  command.option("--compare", options.compared,
                 "Two runs, as for compare; compared in place of the newest of two models",
                 {.value_name = "A B", .values = 2});
  command.option("--nights", options.nights, "Draw the last N nights; 0 for none",
                 {.value_name = "N", .default_text = "90"});
  command.option("--output", options.output,
                 "Folder for the pages (index.html leads to all), report.json and figures/",
                 {.value_name = "DIR"});
  command.option("--formats", options.formats,
                 "Files of each figure: png, svg, pdf, csv (its data); all by default",
                 {.value_name = "LIST",
                  .one_value = true,
                  .separator = ',',
                  .one_of = {"png", "svg", "pdf", "csv"}});
  command.flag("--text", options.text, "Print it as text, and write nothing");
  command.flag("--claims", options.claims, "Print what textbooks say beside results, and no more");
  command.flag("--markdown", options.markdown, "Print the claims as Markdown");
  for (const auto add : {add_results_option, add_json_option, add_quiet_option})
    add(command, context);
  command.exclusive({"--text", "--json"});
  command.exclusive({"--text", "--output"});
  command.exclusive({"--text", "--formats"});
  for (const char* const other :
       {"--text", "--output", "--formats", "--gate", "--compare", "--nights"})
    command.exclusive({"--claims", other});
  command.exclusive({"--markdown", "--json"});
}

}  // namespace ridgeline::cli
