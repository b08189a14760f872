#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
class App;
}  // namespace CLI

/// The parser of the command line, over CLI11, whose headers are large: only command_line.cpp
/// includes them. What an option is bound to must live until the line has been parsed, and keeps
/// its value where the line does not have the option.
namespace ridgeline::cli {

/// What a line may say of an option, and what --help says of it.
struct OptionRules {
  std::optional<std::string> value_name{};  // "DIR", in place of the type ("TEXT", "INT"); may be
                                            // empty
  std::string default_text{};               // the value of a line without the option; sets nothing
  bool required = false;
  bool may_be_empty = false;  // "" is a value; without it a mistake, such as an unset variable
  int values = 0;             // of a list: takes so many; of more, the last ones count
  bool one_value = false;     // of a list: takes one each time, so that a positional argument may
                              // follow
  char separator = 0;         // of a list: a value is cut into several there
  std::optional<std::pair<int, int>> between{};  // the bounds of a number
  std::vector<std::string> one_of{};
  std::function<std::string(const std::string& value)> complaint{};  // what is wrong with a value;
                                                                     // empty: nothing
};

/// What is known of an option or a positional argument.
struct OptionFacts {
  std::vector<std::string> names;  // with their dashes: "-h", "--help"; none of a positional
                                   // argument
  std::string description;
  bool takes_value = false;
  std::vector<std::string> choices;  // the values that one_of allows
};

/// A command, which has options or commands of its own: a handle, which lives as long as its
/// Program.
class Command {
 public:
  explicit Command(CLI::App& command) : command_(&command) {}

  /// Declares a command below this one. --help ends with `footer`; `chosen` is called once a whole
  /// line that names the command, and none below it, has been parsed. Without `chosen` a line has
  /// to name a command below it, too.
  Command command(const std::string& name, const std::string& description,
                  const std::string& footer, std::function<void()> chosen = {}) const;

  void flag(const std::string& name, bool& given, const std::string& description) const;

  /// Declares "--name", or a positional argument "NAME": a text, a number, either of them that may
  /// be absent, or a list of texts. A list takes any number of values and keeps all; of any other
  /// the last one counts.
  template <class T>
  void option(const std::string& name, T& value, const std::string& description,
              const OptionRules& rules = {}) const;
  /// A line with two of these options ("--json"), which are declared already, is refused.
  void exclusive(const std::vector<std::string>& names) const;

  std::string name() const;
  std::string description() const;
  /// In the order of --help.
  std::vector<OptionFacts> options() const;
  /// Those below this one, in the order of --help.
  std::vector<Command> commands() const;
  /// The command below this one that the parsed line names.
  std::optional<Command> chosen() const;

 private:
  CLI::App* command_;
};

/// The commands of a program, with --help and --version. A line has to name one of them.
class Program {
 public:
  Program(const std::string& name, const std::string& description, const std::string& footer,
          const std::function<std::string()>& version);
  Program(const Program&) = delete;
  ~Program();

  /// The program itself, as a command.
  Command root() const { return Command(*program_); }

  /// Parses the line, whose first argument is not the program's name. The exit code when it was
  /// --help or --version, which is printed. Throws a usage Error without advice.
  std::optional<int> parse(const std::vector<std::string>& arguments);

 private:
  std::unique_ptr<CLI::App> program_;
};

}  // namespace ridgeline::cli
