#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/command_line.hpp"

namespace ridgeline::cli {

/// The commands of a program, with --help and --version. A line has to name one of them.
class Program {
 public:
  Program(const std::string& name, const std::string& description, const std::string& footer,
          const std::string& version);
  Program(const Program&) = delete;
  ~Program();

  /// The program itself, as a command.
  Command root() const;

  /// Parses the line, whose first argument is not the program's name. The exit code when it was --help or --version,
  /// which is printed. Throws a usage Error without advice.
  std::optional<int> parse(const std::vector<std::string>& arguments);

 private:
  std::unique_ptr<CLI::App> program_;
};

}  // namespace ridgeline::cli
