#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/command_line.hpp"
#include "harness/present/exit_code.hpp"
#include "harness/present/output.hpp"
#include "harness/present/terminal.hpp"

namespace ridgeline::cli {

/// What the command line asked for, as far as commands share it. Read it when the command performs,
/// not when it is declared.
struct Context {
  std::vector<std::string> arguments;  // as typed, the program's name left out
  std::string results;                 // folder of results files; it may not exist
  std::string device;                  // empty: the best one
  std::string profile;                 // name or file; empty: the command's default
  std::vector<std::string> workers;    // programs named with --worker
  bool json = false;
  bool quiet = false;
  std::function<int()> perform;  // of the chosen command; returns the exit code
};

/// Declares a command. `examples` are lines of its --help, after a line end: "ridgeline run
/// 'gemm/*'    what that does". `perform` is called once the whole line has been parsed. A command
/// that starts processes names what is `undone` when Ctrl-C ends it; none of them outlives it.
Command add_command(Command program, Context& context, const std::string& name,
                    const std::string& description, const std::string& examples,
                    std::function<int()> perform, const std::string& undone = {});

/// The same of a command with options of its own, which live as long as the program.
template <class Options>
std::pair<Command, Options&> add_command(Command program, Context& context, const std::string& name,
                                         const std::string& description,
                                         const std::string& examples,
                                         int (*perform)(const Context&, const Options&),
                                         const std::string& undone = {}) {
  const auto options = std::make_shared<Options>();
  return {add_command(
              program, context, name, description, examples,
              [&context, options, perform] { return perform(context, *options); }, undone),
          *options};
}

/// What measuring commands do while `device` is in use by somebody else: wait, or throw a
/// dependency Error.
std::function<void(const std::string& holder)> while_in_use(const std::string& device,
                                                            bool no_wait);

/// Options that several commands have, one meaning each.
void add_results_option(Command command, Context& context);
void add_device_option(Command command, Context& context);
void add_profile_option(Command command, Context& context);
void add_worker_option(Command command, Context& context);
void add_json_option(Command command, Context& context);
void add_quiet_option(Command command, Context& context);

/// One function a command, each in the file of its name; main.cpp lists them in the order of
/// --help.
void add_devices(Command program, Context& context);
void add_doctor(Command program, Context& context);
void add_list(Command program, Context& context);
void add_run(Command program, Context& context);
void add_gate(Command program, Context& context);
void add_bisect(Command program, Context& context);
void add_runs(Command program, Context& context);
void add_show(Command program, Context& context);
void add_history(Command program, Context& context);
void add_explain(Command program, Context& context);
void add_trend(Command program, Context& context);
void add_check(Command program, Context& context);
void add_predict(Command program, Context& context);
void add_ladder(Command program, Context& context);
void add_collectives(Command program, Context& context);
void add_report(Command program, Context& context);
void add_import(Command program, Context& context);
void add_export(Command program, Context& context);
void add_compare(Command program, Context& context);
void add_baseline(Command program, Context& context);
void add_merge(Command program, Context& context);
void add_prune(Command program, Context& context);
void add_completion(Command program, Context& context);

}  // namespace ridgeline::cli
