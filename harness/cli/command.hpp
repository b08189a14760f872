#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "harness/base/error.hpp"

namespace ridgeline::cli {

/// Exit codes of a command that did its work but has something to say; failures carry theirs in Error.
enum ExitCode { fine = 0, regression = 1, not_all_measured = 2, undecided = 3, interrupted = 130 };

/// What the command line asked for, as far as commands share it. Read it when the command performs, not when it is
/// declared.
struct Context {
  std::vector<std::string> arguments;  // as typed, the program's name left out
  std::filesystem::path results;       // folder of results files; it may not exist
  std::string device;                  // empty: the best one
  std::string profile;                 // name or file; empty: the command's default
  std::vector<std::string> workers;    // programs named with --worker
  bool json = false;
  bool quiet = false;
  std::function<int()> perform;  // of the chosen command; returns the exit code
};

/// Declares a command. `examples` are lines of its --help: "ridgeline run 'gemm/*'    what that does". `perform` is
/// called once the whole line has been parsed.
CLI::App& add_command(CLI::App& program, Context& context, const std::string& name, const std::string& description,
                      const std::string& examples, std::function<int()> perform);

/// Options that several commands have, one meaning each.
void add_results_option(CLI::App& command, Context& context);
void add_device_option(CLI::App& command, Context& context);
void add_profile_option(CLI::App& command, Context& context);
void add_worker_option(CLI::App& command, Context& context);
void add_json_option(CLI::App& command, Context& context);
void add_quiet_option(CLI::App& command, Context& context);

/// Writes `text` for people while work goes on: a reader that has gone away must not end a run. Output that was lost is
/// reported when the program ends.
void say(std::FILE* out, const std::string& text);

/// One line on standard error about a results file that was left out.
void say_left_out(const Error& why);

/// `arguments` as a line that a shell reads back.
std::string shell_line(const std::vector<std::string>& arguments);

/// One function a command, each in the file of its name; main.cpp lists them in the order of --help.
void add_devices(CLI::App& program, Context& context);
void add_list(CLI::App& program, Context& context);
void add_run(CLI::App& program, Context& context);
void add_gate(CLI::App& program, Context& context);
void add_runs(CLI::App& program, Context& context);
void add_show(CLI::App& program, Context& context);
void add_trend(CLI::App& program, Context& context);
void add_check(CLI::App& program, Context& context);
void add_predict(CLI::App& program, Context& context);
void add_report(CLI::App& program, Context& context);
void add_export(CLI::App& program, Context& context);
void add_compare(CLI::App& program, Context& context);
void add_baseline(CLI::App& program, Context& context);
void add_merge(CLI::App& program, Context& context);
void add_prune(CLI::App& program, Context& context);

}  // namespace ridgeline::cli
