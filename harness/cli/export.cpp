#include <algorithm>
#include <iostream>
#include <memory>

#include <fmt/core.h>

#include "harness/base/file.hpp"
#include "harness/cli/command.hpp"
#include "harness/present/export_formats.hpp"

namespace ridgeline::cli {
namespace {

struct Format {
  const char* name;
  void (*write)(std::ostream&, const present::ExportedRun&);
};

constexpr Format formats[] = {
    {"google-benchmark", present::export_google_benchmark},
    {"csv", present::export_csv},
    {"jsonl", present::export_jsonl},
};

present::ExportedRun read(const Context& context, const std::string& selector) {
  present::ExportedRun exported;
  exported.found = store::find_run(context.results, selector, present::say_left_out);
  const std::string& id = exported.found.summary.run.id;
  const store::Store store = store::Store::open(exported.found.file);
  exported.environment = store.environment(id);
  exported.builds = store.builds(id);
  exported.measurements = store.measurements(id, store::Samples::read);
  return exported;
}

int export_run(const Context& context, const std::string& name, const std::string& selector,
               const std::string& output) {
  const Format* format = std::ranges::find(formats, name, [](const Format& each) { return std::string(each.name); });
  const present::ExportedRun exported = read(context, selector);
  if (output == "-") {
    format->write(std::cout, exported);
    std::cout.flush();
    return present::fine;
  }
  write_file(output, [&](std::ostream& out) { format->write(out, exported); });
  const auto count = exported.measurements.size();
  fmt::print(stderr, "wrote {} measurement{} of run {} to {}\n", count, count == 1 ? "" : "s",
             exported.found.summary.run.id, output);
  return present::fine;
}

}  // namespace

void add_export(Command program, Context& context) {
  struct Options {
    std::string format, selector = "latest", output = "-";
  };
  const auto options = std::make_shared<Options>();
  const Command command = add_command(
      program, context, "export", "Write a run in a format that other programs read",
      "  ridgeline export csv                                    the latest run: one row per sample\n"
      "  ridgeline export jsonl h200@latest --output run.jsonl   one measurement per line, with its samples\n"
      "  ridgeline export google-benchmark label:before --output before.json\n"
      "  ridgeline export google-benchmark label:after --output after.json\n"
      "  compare.py benchmarks before.json after.json            Google Benchmark's own tool reads them",
      [&context, options] { return export_run(context, options->format, options->selector, options->output); });
  std::vector<std::string> names;
  for (const Format& format : formats) names.emplace_back(format.name);
  command.option("FORMAT", options->format, "google-benchmark, csv or jsonl").required().one_of(names);
  command.option("RUN", options->selector, "Which run, as for show").default_text("latest");
  command.option("--output", options->output, "File to write, whole or not at all; - is the standard output")
      .default_text("-")
      .value_name("FILE");
  add_results_option(command, context);
}

}  // namespace ridgeline::cli
