#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/core.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/base/installation.hpp"
#include "harness/base/json.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/checked_environment.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/unset_variables.hpp"
#include "harness/present/check_report.hpp"
#include "harness/present/json_output.hpp"
#include "harness/present/said_lines.hpp"
#include "harness/process/check_build.hpp"
#include "harness/process/check_kit.hpp"
#include "harness/process/home.hpp"
#include "harness/process/interrupt.hpp"
#include "harness/process/tool.hpp"

namespace ridgeline::cli {
namespace {

namespace fs = std::filesystem;

/// In which a program that is interrupted says where it was.
constexpr int longest_farewell_ms = 5000;

/// Removed with all that is in it.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "ridgeline-check-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
      throw Error(ErrorKind::internal, fmt::format("cannot make a folder {}", pattern),
                  "set TMPDIR to one that can be written");
    path_ = pattern;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

struct CheckOptions {
  process::CheckSources sources;
  std::string limit = "1G";
  std::string junit, sarif;
  bool github = false;
};

/// "2000", "50M", "1G", "none".
std::optional<std::uint64_t> accesses_of(const std::string& text) {
  if (text == "none") return 0;
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || number == 0) return std::nullopt;
  const std::string_view unit(behind, static_cast<std::size_t>(end - behind));
  const std::uint64_t factor = unit.empty()  ? 1
                               : unit == "K" ? 1'000
                               : unit == "M" ? 1'000'000
                               : unit == "G" ? 1'000'000'000
                                             : 0;
  if (factor == 0 || number > UINT64_MAX / factor) return std::nullopt;
  return number * factor;
}

void write(const std::string& file, const std::string& text) {
  write_file(file, [&](std::ostream& out) { out << text; });
}

void tell_ci(const CheckOptions& options, const present::CheckReport& report) {
  if (!options.junit.empty()) write(options.junit, present::check_junit(report));
  if (!options.sarif.empty()) write(options.sarif, present::check_sarif(report));
  if (options.github) present::say_commands(stdout, present::check_github(report));
}

/// What a second run has found, in what was written of the first; returns the text of both.
std::string add_finding(json::Value& written, const json::Value& finding,
                        const std::string& device) {
  written["outcome"] = "wrong_result";
  written["reason"] = finding.at("text");
  written["findings"].push_back(finding);
  std::string told =
      fmt::format("\n{}: 1 mistake, found by a second run with zeros in variables\n  {}\n", device,
                  finding.at("text").text());
  if (const json::Value* const notes = written.find("notes"); notes && notes->is_array())
    for (const json::Value& note : notes->elements())
      if (note.is_text()) told += fmt::format("note: {}\n", note.text());
  return told;
}

int check(const Context& context, const CheckOptions& options) {
  const auto dashes = std::ranges::find(context.arguments, "--");
  const std::vector<std::string> of_program(
      dashes == context.arguments.end() ? dashes : std::next(dashes), context.arguments.end());
  const process::Kit kit = process::read_kit(program_folder().parent_path());
  if (!kit.note.empty()) present::say(stderr, kit.note + "\n");
  const ScratchFolder folder;
  const fs::path program = folder.path() / "check", report = folder.path() / "report.json",
                 text_file = folder.path() / "report.txt";
  const std::string& file = options.sources.files.front();
  process::CheckSources sources = options.sources;
  const std::string device = context.device.empty() ? "emulated:sm_90" : context.device;
  // "emulated:sm_80/3/7"; another device is refused by the program.
  if (const std::size_t at = device.find("sm_"); at != std::string::npos)
    std::from_chars(device.data() + at + 3, device.data() + device.size(), sources.capability);
  try {
    present::SaidLines errors(stderr);
    process::build_check(kit, sources, program, errors);
  } catch (const Error& error) {
    tell_ci(options,
            {.file = file, .outcome = "not_built", .reason = error.what(), .findings = {}});
    throw;
  } catch (const process::Interrupted&) {
    const std::string reason = fmt::format("{} was still being compiled", printable(file, 4000));
    present::say(stderr, reason + ": nothing of it has run\n");
    tell_ci(
        options,
        {.file = file, .outcome = "not_built", .reason = "interrupted: " + reason, .findings = {}});
    throw;
  }
  std::vector<std::string> arguments{device,
                                     "--report",
                                     report.string(),
                                     "--text",
                                     text_file.string(),
                                     "--limit",
                                     std::to_string(accesses_of(options.limit).value_or(0)),
                                     "--"};
  arguments.insert(arguments.end(), of_program.begin(), of_program.end());
  // What the program and its kernels print may come between the lines for people, but not into
  // JSON.
  present::SaidLines lines(stdout);
  const off_t input_at = lseek(STDIN_FILENO, 0, SEEK_CUR);
  process::ToolResult result;
  std::exception_ptr ended;  // why the check did not come to its end
  try {
    result = process::run_tool({.name = program.string(),
                                .arguments = arguments,
                                .environment = checked_environment(),
                                .takes_input = true,
                                .polite_ms = longest_farewell_ms},
                               context.json ? nullptr : &lines);
  } catch (const process::Interrupted&) {
    ended = std::current_exception();
  }
  std::optional<json::Value> written = json::try_parse(file_text(report));
  std::string told = file_text(text_file);  // a second run writes there, too
  bool depends_on_unset = false;
  if (written && result.fine) try {
      const json::Value finding =
          unset_finding({kit, sources, program, arguments, *written, input_at}, folder.path());
      depends_on_unset = !finding.is_null();
      if (depends_on_unset) told = add_finding(*written, finding, device);
    } catch (const Error& error) {
      ended = std::current_exception();
      (*written)["outcome"] = "not_built";
      (*written)["reason"] = error.what();
    } catch (const process::Interrupted&) {
      ended = std::current_exception();
      (*written)["outcome"] = "timeout";
      (*written)["reason"] = "the second run, with zeros in variables, was interrupted";
    }
  if (!context.json) (lines << told).flush();
  if (written) {
    for (const char* const inner : {"unset_variables", "results_digest"}) written->erase(inner);
    if (context.json) present::say(stdout, present::printed_json(*written, 2));
    tell_ci(options, present::check_report(file, *written));
  }
  if (ended) std::rethrow_exception(ended);
  if (depends_on_unset) return 2;
  if (written && result.fine) return present::fine;
  for (const int code : {2, 3})
    if (written && result.exit_code == code) return code;
  for (const int code : {64, 69, 74})  // which it has said why
    if (result.exit_code == code) return code;
  const Error failure(
      ErrorKind::dependency,
      fmt::format("the check of {} {}{}", file, result.ending, written ? "" : " without a report"),
      "an access that the device does not see can end the program: "
      "docs/how-to-check.md");
  if (!written)
    tell_ci(options,
            {.file = file, .outcome = "crashed", .reason = failure.what(), .findings = {}});
  throw failure;
}

}  // namespace

void add_check(Command program, Context& context) {
  const auto [command, options] = add_command(program, context, "check",
                                              "Run a CUDA program, or a file's kernels, on the "
                                              "emulated device: mistakes, counts, annotated "
                                              "source",
                                              R"(
  ridgeline check saxpy.cu                                   a program with main(); no GPU is needed
  ridgeline check main.cu kernels.cu -I include -- --n 1000  several files; arguments of main()
  ridgeline check reverse_rows.cu --device emulated:sm_80    within another architecture's limits
  ridgeline check reverse_rows.cu --json                     findings, and counts by source line
  ridgeline check mine.cpp kernel.cu                         every case of a suite of yours
Files without main() define kernels and a function ridgeline::check() that launches them
(docs/how-to-check.md), or cases (docs/own-kernels.md).)",
                                              check, "the check did not end");
  command.option("FILE", options.sources.files, "A .cu file, or all those of one program",
                 {.value_name = "FILE...", .required = true});
  command.option("-I,--include", options.sources.includes, "A folder of headers",
                 {.value_name = "DIR", .one_value = true});
  command.option("-D,--define", options.sources.definitions, "A macro of the program: X or X=1",
                 {.value_name = "X", .one_value = true});
  command.option("--limit", options.limit,
                 "End the program once its kernels have made so many accesses: 50M, 2G, none",
                 {.value_name = "ACCESSES",
                  .default_text = "1G",
                  .complaint = [](const std::string& text) -> std::string {
                    return accesses_of(text) ? ""
                                             : "it is a number above 0 with K, M or G, or none";
                  }});
  command.option("--junit", options.junit, "Also write a JUnit test case", {.value_name = "FILE"});
  command.option("--sarif", options.sarif, "Also write findings as SARIF 2.1.0",
                 {.value_name = "FILE"});
  command.flag("--github", options.github, "Also print GitHub workflow annotations");
  for (const auto add : {add_device_option, add_json_option}) add(command, context);
}

}  // namespace ridgeline::cli
