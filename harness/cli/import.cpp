#include <cstdio>
#include <optional>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/cli/command.hpp"
#include "harness/imported/formats.hpp"
#include "harness/imported/imported_run.hpp"
#include "harness/present/json_output.hpp"
#include "harness/record/rule.hpp"
#include "harness/run/environment.hpp"
#include "harness/store/write_imported.hpp"

namespace ridgeline::cli {
namespace {

namespace fs = std::filesystem;

struct ImportOptions {
  std::string format, model, label;
  std::vector<std::string> files;
};

/// A file that adds nothing, and the run that has it.
struct Known {
  std::string file, run;
};

/// What is to be imported, and what need not be.
struct Files {
  std::vector<imported::ReadFile> read;
  std::vector<Known> known;
};

DeviceKind kind_of(const std::string& model) {
  if (model.starts_with("emulated"))
    throw Error(ErrorKind::usage,
                fmt::format("{} is an emulated device, which has no times", printable(model)),
                "name the model that the results are of, such as nvidia-h200");
  return model.starts_with("cpu") ? DeviceKind::cpu : DeviceKind::cuda;
}

/// All files, before anything is stored.
Files read_files(const ImportOptions& options, const fs::path& results_file) {
  Files files;
  std::set<std::string> here;
  for (const std::string& name : options.files) {
    const std::string sha256 = imported::hash_of(name);
    std::optional<store::ImportedAs> known;
    if (fs::exists(results_file))
      known = store::imported_as(store::Store::open(results_file), sha256);
    const std::string run = known ? known->run : "";
    const bool again = !here.insert(sha256).second;
    if (again || (known && known->format == options.format)) {
      files.known.push_back({name, run});
      continue;
    }
    // One that a run has as another format is read all the same: most are refused as this one.
    imported::ReadFile read = imported::read_file(options.format, name, sha256);
    if (known)
      files.known.push_back({name, run});
    else
      files.read.push_back(std::move(read));
  }
  return files;
}

store::ImportedRun run_of(const ImportOptions& options, std::vector<imported::ReadFile>& files) {
  const DeviceKind kind = kind_of(options.model);
  imported::RunFacts facts =
      imported::run_of(options.format, files, options.model, kind, options.label);
  facts.environment.hash = run::hash(facts.environment.comparable);
  store::ImportedRun made{facts.run, facts.device, facts.environment, {}};
  for (imported::ReadFile& file : files) {
    const std::size_t first = made.processes.size();
    for (int i = 0; i < imported::executions(file.contents); ++i)
      made.processes.push_back({imported::process_of(file, options.format, facts.run.id,
                                                     static_cast<int>(made.processes.size())),
                                {}});
    for (imported::Row& row : file.contents.rows) {
      row.case_info.device_kind = kind;
      made.processes[first + static_cast<std::size_t>(row.execution)].results.emplace_back(
          std::move(row.case_info), std::move(row.measurement));
    }
    file.contents.rows.clear();
  }
  return made;
}

void say_doubts(const std::vector<imported::ReadFile>& files) {
  for (const imported::ReadFile& file : files)
    for (const imported::Flag& flag : file.contents.flags)
      present::say(stderr, fmt::format("ridgeline: {}{}: {}\n", printable(file.name, 4000),
                                       flag.line == 0 ? "" : fmt::format(", line {}", flag.line),
                                       printable(flag.what, 2000)));
}

json::Value json_of(const Files& files, const std::string& run, std::size_t measurements) {
  json::Value all{{"run", run},
                  {"measurements", measurements},
                  {"files", json::Value::array()},
                  {"known", json::Value::array()}};
  for (const imported::ReadFile& file : files.read) {
    json::Value& one = all["files"].push_back(
        {{"file", file.name}, {"sha256", file.sha256}, {"schema", file.contents.schema}});
    one["doubts"] = json::Value::array();
    for (const imported::Flag& flag : file.contents.flags)
      one["doubts"].push_back({{"line", flag.line}, {"what", flag.what}});
  }
  for (const Known& known : files.known)
    all["known"].push_back({{"file", known.file}, {"run", known.run}});
  return all;
}

int import_files(const Context& context, const ImportOptions& options) {
  const fs::path results_file = store::file_of_model(context.results, options.model);
  kind_of(options.model);
  Files files = read_files(options, results_file);
  std::string id;
  std::size_t measurements = 0;
  if (!files.read.empty()) {
    store::ImportedRun made = run_of(options, files.read);
    id = made.run.id;
    for (const store::ImportedProcess& process : made.processes)
      measurements += process.results.size();
    store::Store store = store::Store::create(results_file);
    try {
      store::add(store, made);
    } catch (...) {
      store::discard_if_empty(std::move(store));
      throw;
    }
  }
  if (context.json) {
    present::print_json(json_of(files, id, measurements));
    return present::fine;
  }
  say_doubts(files.read);
  for (const Known& known : files.known)
    present::say(stdout, fmt::format("{} adds nothing: {}\n", printable(known.file, 4000),
                                     known.run.empty() ? "another file here is the same"
                                                       : fmt::format("run {} has it", known.run)));
  if (!files.read.empty())
    present::say(
        stdout,
        fmt::format("{} of {} imported, unverified: run {} of {} has {}\n"
                    "  ridgeline show {}\n",
                    units::plural(std::ssize(files.read), "file"), options.format, id,
                    printable(options.model),
                    units::plural(static_cast<std::int64_t>(measurements), "measurement"), id));
  return present::fine;
}

std::string not_a_model(const std::string& text) {
  return record::names_a_file(text)
             ? ""
             : fmt::format(
                   "{} cannot name a device model: that is letters, digits and _.:+-, and "
                   "does not begin with a dot",
                   printable(text));
}

}  // namespace

void add_import(Command program, Context& context) {
  const auto [command, options] =
      add_command(program, context, "import",
                  "Take over results of another benchmark program, marked as unverified", R"(
  ridgeline import google-benchmark run1.json run2.json --device-model cpu-amd-epyc-2c
                                         two executions of one program, as one run
  ridgeline import nvbench out.json --device-model nvidia-h200 --label nvbench
  ridgeline import nccl-tests all_reduce_perf.log --device-model nvidia-h100-sxm
  ridgeline import pytorch records.jsonl --device-model nvidia-h200 --json

All files are taken, or none: what is not understood is refused with its line. A file that was
imported before adds nothing. Times are unverified, since nobody compared an output with an oracle:
such a run is never the latest, no night and no baseline. docs/import-export.md says how names,
units and what else a file says are taken over.)",
                  import_files);
  command.option("FORMAT", options.format, "What wrote the files",
                 {.required = true, .one_of = imported::formats()});
  command.option("FILE", options.files, "Files of that format", {.required = true});
  command.option("--device-model", options.model,
                 "Model of the device that the results are of, such as nvidia-h200",
                 {.value_name = "SLUG", .required = true, .complaint = not_a_model});
  command.option("--label", options.label, "Name of the run, to find it by",
                 {.value_name = "TEXT"});
  for (const auto add : {add_results_option, add_json_option}) add(command, context);
}

}  // namespace ridgeline::cli
