#include "harness/imported/imported_run.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/sha256.hpp"
#include "harness/base/shell.hpp"
#include "harness/base/text.hpp"
#include "harness/record/rule.hpp"

namespace ridgeline::imported {
namespace {

const std::string& measured_at(const ReadFile& file) {
  return file.contents.date.empty() ? file.written : file.contents.date;
}

std::string file_name(const ReadFile& file) {
  return printable(std::filesystem::path(file.name).filename().string(), 400);
}

}  // namespace

int executions(const Contents& contents) {
  int most = 0;
  for (const Row& row : contents.rows) most = std::max(most, row.execution + 1);
  return most;
}

RunFacts run_of(const std::string& format, const std::vector<ReadFile>& files,
                const std::string& model, DeviceKind kind, const std::string& label) {
  require(!files.empty(), "a run comes from a file");
  Sha256 sum;
  std::string name, line = "ridgeline import " + format;
  RunFacts made;
  record::Run& run = made.run;
  run.started = measured_at(files.front());
  run.finished = run.started;
  for (const ReadFile& file : files) {
    sum.add(file.sha256 + ' ' + file_name(file) + '\n');
    line += ' ' + shell_line({file_name(file)});
    run.started = std::min(run.started, measured_at(file));
    run.finished = std::max(run.finished, measured_at(file));
    if (name.empty()) name = file.contents.device;
  }
  line += " --device-model " + shell_line({model});
  if (!label.empty()) line += " --label " + shell_line({label});
  run.label = label;
  run.command_line = printable(line, 7900);
  sum.add(run.command_line + ' ' + run.started);
  run.id = "imported-" + sum.hex().substr(0, 16);
  run.imported = format;
  run.profile = "imported";
  run.status = record::RunStatus::finished;
  made.device.id = "imported";
  made.device.kind = kind;
  made.device.model = model;
  made.device.name = name.empty() ? model : printable(name, record::max_text_bytes - 16);
  made.device.uuid = "imported-" + model;
  run.device_uuid = made.device.uuid;
  made.environment.comparable = {{"imported", format}};
  return made;
}

record::Process process_of(const ReadFile& file, const std::string& format,
                           const std::string& run_id, int replicate) {
  record::Process made;
  made.run_id = run_id;
  made.replicate = replicate;
  made.started = measured_at(file);
  made.build = {file.contents.program, "unknown", false, "unknown compiler", "", "", ""};
  record::Facts& facts = made.imported;
  facts = {{"file", file_name(file)}, {"sha256", file.sha256}, {"format", format}};
  if (!file.contents.schema.empty())
    facts["schema"] = printable(file.contents.schema, record::max_name_bytes);
  for (const auto& [key, value] : file.contents.facts) facts["says " + key] = value;
  int number = 0;
  for (const Flag& flag : file.contents.flags)
    facts[fmt::format("doubt {}", ++number)] =
        flag.line == 0 ? flag.what : fmt::format("line {}: {}", flag.line, flag.what);
  return made;
}

}  // namespace ridgeline::imported
