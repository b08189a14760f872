#include "harness/cli/program.hpp"

#include <CLI/CLI.hpp>

#include "harness/base/error.hpp"

namespace ridgeline::cli {

Program::Program(const std::string& name, const std::string& description, const std::string& footer,
                 const std::string& version)
    : program_(std::make_unique<CLI::App>(description, name)) {
  program_->footer(footer);
  program_->require_subcommand(1);
  program_->set_help_flag("-h,--help", "Print this help");
  program_->set_version_flag("--version", version);
  program_->option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

Program::~Program() = default;

Command Program::root() const { return Command(*program_); }

std::optional<int> Program::parse(const std::vector<std::string>& arguments) {
  try {
    program_->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& wish) {  // --help or --version
    return program_->exit(wish);
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorKind::usage, error.what());
  }
  return std::nullopt;
}

}  // namespace ridgeline::cli
