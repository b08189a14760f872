#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/units.hpp"
#include "harness/process/clock.hpp"
#include "harness/process/launcher.hpp"
#include "harness/process/tool.hpp"
#include "harness/run/gpu_fitness.hpp"

// Fields and their meanings: `nvidia-smi --help-query-gpu`.

namespace ridgeline::run {
namespace {

constexpr const char* wanted_fields[] = {
    "name",
    "driver_version",
    "clocks_throttle_reasons.active",
    "utilization.gpu",
    "memory.used",
    "temperature.gpu",
    "temperature.gpu.tlimit",
    "power.limit",
    "power.default_limit",
    "enforced.power.limit",
    "clocks.applications.graphics",
    "clocks.default_applications.graphics",
    "ecc.mode.current",
    "ecc.mode.pending",
    "ecc.errors.uncorrected.volatile.total",
    "ecc.errors.corrected.volatile.total",
    "retired_pages.pending",
    "remapped_rows.pending",
    "remapped_rows.failure",
    "gpu_recovery_action",
    "persistence_mode",
    "compute_mode",
    "mig.mode.current",
    "mig.mode.pending",
    "pcie.link.width.current",
    "pcie.link.width.max",
};

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\""), end = text.find_last_not_of(" \t\r\"");
  return begin == std::string_view::npos ? "" : std::string(text.substr(begin, end - begin + 1));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (!trimmed(line).empty()) lines.push_back(line);
  return lines;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(trimmed(cell));
  return cells;
}

/// What nvidia-smi prints for these arguments.
std::string answer(const Smi& smi, std::vector<std::string> arguments) {
  if (process::find_on_path(smi.program).empty())
    throw NoAnswer(smi.program + " is not on the PATH", false);
  arguments.insert(arguments.begin(),
                   {"--kill-after=1", fmt::format("{}", smi.answer_s), smi.program});
  process::ToolResult done;
  try {
    done = process::run_tool({"timeout", arguments, {}});
  } catch (const Error& error) {
    throw NoAnswer(fmt::format("nvidia-smi cannot be asked: {}", error.what()), true);
  }
  if (done.fine) return done.output;
  constexpr int over = 124, killed = 137;  // of timeout(1)
  if (done.exit_code == over || done.exit_code == killed)
    throw NoAnswer(fmt::format("nvidia-smi did not answer within {} s", smi.answer_s), true);
  const std::string words = trimmed(done.output.substr(0, 300) + " " + done.words);
  throw NoAnswer(fmt::format("nvidia-smi {}: {}", done.ending, words.empty() ? "no words" : words),
                 true);
}

std::vector<std::string> rows(const Smi& smi, const std::string& gpu, const char* what,
                              const std::vector<std::string>& fields) {
  return lines_of(
      answer(smi, {"--id=" + gpu, fmt::format("--query-{}={}", what, fmt::join(fields, ",")),
                   "--format=csv,noheader,nounits"}));
}

/// The field that a driver does not know; empty when it refuses for another reason.
std::string refused_field(const std::string& words) {
  const auto begin = words.find("Field \""), end = words.find("\" is not a valid field");
  return begin == std::string::npos || end == std::string::npos || end < begin + 7
             ? ""
             : words.substr(begin + 7, end - begin - 7);
}

/// A driver refuses a whole query for one field that it does not know.
std::map<std::string, std::string> query(const Smi& smi, const std::string& gpu) {
  std::vector<std::string> wanted(std::begin(wanted_fields), std::end(wanted_fields));
  while (!wanted.empty()) {
    std::vector<std::string> lines;
    try {
      lines = rows(smi, gpu, "gpu", wanted);
    } catch (const NoAnswer& refusal) {
      if (std::erase(wanted, refused_field(refusal.what())) == 0) throw;
      continue;
    }
    const std::vector<std::string> cells = lines.size() == 1 ? cells_of(lines[0]) : cells_of("");
    if (cells.size() != wanted.size())
      throw NoAnswer(fmt::format("nvidia-smi answered {} for one GPU, or not one value a field",
                                 units::plural(static_cast<std::int64_t>(lines.size()), "row")),
                     true);
    std::map<std::string, std::string> fields;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      std::string value = cells[i];
      if (value.starts_with('[') && value.ends_with(']')) value = value.substr(1, value.size() - 2);
      if (value == "Not Supported") value = "N/A";
      if (!value.empty() && value != "Unknown Error" && value != "Insufficient Permissions")
        fields[wanted[i]] = value;
    }
    return fields;
  }
  return {};
}

/// A name may have commas; what follows it has none.
std::vector<std::string> processes(const Smi& smi, const std::string& gpu) {
  std::vector<std::string> found;
  for (const std::string& line :
       rows(smi, gpu, "compute-apps", {"process_name", "pid", "used_memory"})) {
    const auto memory = line.rfind(',');
    const auto pid = memory == std::string::npos || memory == 0 ? std::string::npos
                                                                : line.rfind(',', memory - 1);
    if (pid == std::string::npos) continue;
    found.push_back(fmt::format("{} (pid {}, {} MiB)", trimmed(line.substr(0, pid)),
                                trimmed(line.substr(pid + 1, memory - pid - 1)),
                                trimmed(line.substr(memory + 1))));
  }
  return found;
}

}  // namespace

GpuFacts ask_smi(const std::string& gpu, const Smi& smi) {
  GpuFacts facts{query(smi, gpu), {}};
  // Perhaps by something that ends just now.
  const auto busy = facts.fields.find("utilization.gpu");
  if (busy != facts.fields.end() &&
      std::strtod(busy->second.c_str(), nullptr) >= limits::gpu_busy_percent) {
    process::wait(nullptr, 0, static_cast<int>(smi.again_s * 1e3));
    facts.fields = query(smi, gpu);
  }
  facts.processes = processes(smi, gpu);
  return facts;
}

}  // namespace ridgeline::run
