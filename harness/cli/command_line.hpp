#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
class App;
class Option;
}  // namespace CLI

/// The parser of the command line, over CLI11, whose headers are large: only command_line.cpp and
/// program.cpp include them. What an option is bound to must live until the line has been parsed, and
/// keeps its value where the line does not have the option.
namespace ridgeline::cli {

/// An option or positional argument of a command: a handle, which lives as long as its Program. The methods return the
/// option again.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  /// What --help calls the value, "DIR", in place of the type ("TEXT", "INT"); may be empty.
  Option value_name(const std::string& name) const;
  /// What --help gives as the value of a line without the option; sets nothing.
  Option default_text(const std::string& text) const;

  Option required() const;
  /// A line with both is refused. Both say so in --help.
  Option excludes(Option other) const;
  /// Of a list: takes so many values; of more, the last ones count.
  Option values(int number) const;
  /// Of a list: takes one value each time, so that a positional argument may follow.
  Option one_value() const;
  /// Of a list: a value is cut into several at each `separator`.
  Option separated_by(char separator) const;

  /// Refuses values beyond these bounds.
  Option between(int least, int most) const;
  Option one_of(const std::vector<std::string>& values) const;
  /// `complaint` says what is wrong with a value; empty: nothing.
  Option check(const std::function<std::string(const std::string& value)>& complaint) const;

 private:
  CLI::Option* option_;
};

/// What is known of an option that begins with dashes.
struct OptionFacts {
  std::vector<std::string> names;  // with their dashes: "-h", "--help"
  std::string description;
  bool takes_value = false;
  std::vector<std::string> choices;  // the values that one_of allows
};

/// A command, which has options or commands of its own: a handle, which lives as long as its Program.
class Command {
 public:
  explicit Command(CLI::App& command) : command_(&command) {}

  /// Declares a command below this one. --help ends with `footer`; `chosen` is called once a whole line that names the
  /// command has been parsed.
  Command command(const std::string& name, const std::string& description, const std::string& footer,
                  std::function<void()> chosen) const;
  /// Declares a command that does nothing itself: a line has to name a command below it, too.
  Command group(const std::string& name, const std::string& description, const std::string& footer) const;

  Option flag(const std::string& name, bool& given, const std::string& description) const;

  /// Declares "--name", or a positional argument "NAME". A list takes any number of values and keeps all; of any other
  /// the last one counts.
  Option option(const std::string& name, std::string& value, const std::string& description) const;
  Option option(const std::string& name, std::optional<std::string>& value, const std::string& description) const;
  Option option(const std::string& name, std::vector<std::string>& values, const std::string& description) const;
  Option option(const std::string& name, int& value, const std::string& description) const;
  Option option(const std::string& name, std::optional<int>& value, const std::string& description) const;
  Option option(const std::string& name, double& value, const std::string& description) const;

  std::string name() const;
  std::string description() const;
  /// In the order of --help, positional arguments left out.
  std::vector<OptionFacts> options() const;
  /// What one_of allows for the first positional argument.
  std::vector<std::string> argument_choices() const;
  /// The long ones with their dashes, in the order of --help.
  std::vector<std::string> option_names() const;
  /// How many words at most each option takes as its values each time, by its name with the dashes; 0 of a flag.
  std::map<std::string, int> most_values() const;
  /// Those below this one, in the order of --help.
  std::vector<Command> commands() const;
  /// The command below this one that the parsed line names.
  std::optional<Command> chosen() const;

 private:
  CLI::App* command_;
};

}  // namespace ridgeline::cli
