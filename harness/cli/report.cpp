#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/report_choice.hpp"
#include "harness/cli/report_drawing.hpp"
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
#include "harness/present/shown_gate.hpp"
#include "harness/present/trend.hpp"
#include "harness/present/write_document.hpp"
#include "harness/process/home.hpp"
#include "harness/run/claims.hpp"
#include "harness/run/ladders.hpp"
#include "harness/run/timestamp.hpp"
#include "harness/store/selector.hpp"

namespace ridgeline::cli {
namespace {

namespace fs = std::filesystem;

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
  const store::LeftOut left_out = present::say_left_out_once();
  const Chosen chosen = choose(context.results, options, left_out);
  present::RunReader reader(store::all_runs(context.results, [](const Error&) {}),
                            run::load_ladders(process::home()));
  const fs::path data = output / "report.json", page = output / "index.html";
  std::vector<present::ReportRun> runs;
  for (const store::FoundRun& one : chosen.runs) {
    present::ReportRun& read = runs.emplace_back(reader.read(one));
    read.pairs = present::find_pairs(one, read, reader.all(), left_out);
    read.beside = present::find_beside(read);
  }
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
