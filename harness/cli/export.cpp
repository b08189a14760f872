#include <algorithm>
#include <string_view>

#include <fmt/core.h>

#include "harness/base/file.hpp"
#include "harness/base/units.hpp"
#include "harness/cli/command.hpp"
#include "harness/present/export_formats.hpp"
#include "harness/present/said_lines.hpp"
#include "harness/store/selector.hpp"

namespace ridgeline::cli {
namespace {

struct ExportOptions {
  std::string format, selector = "latest", output = "-";
};

struct Format {
  std::string_view name;
  void (*write)(std::ostream&, const present::ExportedRun&);
};

constexpr Format formats[] = {
    {"google-benchmark", present::export_google_benchmark},
    {"csv", present::export_csv},
    {"csv-cases", present::export_cases_csv},
    {"jsonl", present::export_jsonl},
    {"pytorch", present::export_pytorch},
    {"prometheus", present::export_prometheus},
    {"timeline", present::export_timeline},
};

present::ExportedRun read(const Context& context, const std::string& selector) {
  const store::FoundRun found = store::find_run(context.results, selector, present::say_left_out);
  const store::Store store = store::Store::open(found.file);
  return {store::stored_run(store, found.summary),
          store::measurements(store, found.summary.run.id, store::Samples::read),
          store::processes(store, found.summary.run.id), store::roofs(store, found.summary.run.id)};
}

int export_run(const Context& context, const ExportOptions& options) {
  const Format* format = std::ranges::find(formats, options.format, &Format::name);
  const present::ExportedRun exported = read(context, options.selector);
  if (options.output == "-") {
    present::SaidLines out(stdout);
    format->write(out, exported);
    return present::fine;
  }
  write_file(options.output, [&](std::ostream& out) { format->write(out, exported); });
  present::say(stderr, fmt::format("wrote {} of run {} to {}\n",
                                   units::plural(std::ssize(exported.measurements), "measurement"),
                                   exported.run.id, options.output));
  return present::fine;
}

}  // namespace

void add_export(Command program, Context& context) {
  const auto [command, options] =
      add_command(program, context, "export", "Write a run in a format that other programs read",
                  R"(
  ridgeline export csv                                    the latest run: one row per sample
  ridgeline export csv-cases                              one row per case, a column per parameter
  ridgeline export jsonl h200@latest --output run.jsonl   one measurement per line, with its samples
  ridgeline export google-benchmark label:before --output before.json
  ridgeline export google-benchmark label:after --output after.json
  ridgeline export prometheus --output run.prom           for a node exporter's text files
  ridgeline export timeline --output run.trace.json       for Perfetto, or Chrome's tracing page
  compare.py benchmarks before.json after.json            Google Benchmark's own tool reads them)",
                  export_run);
  std::vector<std::string> names;
  for (const Format& format : formats) names.emplace_back(format.name);
  command.option("FORMAT", options.format, "What the others read",
                 {.required = true, .one_of = names});
  command.option("RUN", options.selector, "Which run, as for show", {.default_text = "latest"});
  command.option("--output", options.output,
                 "File to write, whole or not at all; - is the standard output",
                 {.value_name = "FILE", .default_text = "-"});
  add_results_option(command, context);
}

}  // namespace ridgeline::cli
