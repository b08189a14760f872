#include "harness/cli/command_line.hpp"

#include <climits>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>

namespace ridgeline::cli {
namespace {

/// CLI11 has the values that IsMember allows only in what --help says of the type: "TEXT:{name,time}".
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.find('}');
  std::vector<std::string> choices;
  if (open == std::string::npos || close == std::string::npos) return choices;
  std::istringstream values(type.substr(open + 1, close - open - 1));
  for (std::string value; std::getline(values, value, ',');) choices.push_back(value);
  return choices;
}

}  // namespace

Option Option::value_name(const std::string& name) const {
  option_->type_name(name);
  return *this;
}

Option Option::default_text(const std::string& text) const {
  option_->default_str(text);
  return *this;
}

Option Option::required() const {
  option_->required();
  return *this;
}

Option Option::excludes(Option other) const {
  option_->excludes(other.option_);
  return *this;
}

Option Option::values(int number) const {
  option_->expected(number);
  return *this;
}

Option Option::one_value() const {
  option_->allow_extra_args(false);
  return *this;
}

Option Option::separated_by(char separator) const {
  option_->delimiter(separator);
  return *this;
}

Option Option::between(int least, int most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option Option::one_of(const std::vector<std::string>& values) const {
  option_->check(CLI::IsMember(values));
  return *this;
}

Option Option::check(const std::function<std::string(const std::string& value)>& complaint) const {
  option_->check(CLI::Validator([complaint](const std::string& value) { return complaint(value); }, ""));
  return *this;
}

Command Command::command(const std::string& name, const std::string& description, const std::string& footer,
                         std::function<void()> chosen) const {
  CLI::App& command = *command_->add_subcommand(name, description);
  command.footer(footer);
  command.callback(std::move(chosen));
  return Command(command);
}

Command Command::group(const std::string& name, const std::string& description, const std::string& footer) const {
  CLI::App& command = *command_->add_subcommand(name, description);
  command.footer(footer);
  command.require_subcommand(1);
  return Command(command);
}

Option Command::flag(const std::string& name, bool& given, const std::string& description) const {
  return Option(*command_->add_flag(name, given, description));
}

Option Command::option(const std::string& name, std::string& value, const std::string& description) const {
  return Option(*command_->add_option(name, value, description));
}

Option Command::option(const std::string& name, std::optional<std::string>& value,
                       const std::string& description) const {
  return Option(*command_->add_option(name, value, description));
}

Option Command::option(const std::string& name, std::vector<std::string>& values,
                       const std::string& description) const {
  return Option(*command_->add_option(name, values, description));
}

Option Command::option(const std::string& name, int& value, const std::string& description) const {
  return Option(*command_->add_option(name, value, description));
}

Option Command::option(const std::string& name, std::optional<int>& value, const std::string& description) const {
  return Option(*command_->add_option(name, value, description));
}

Option Command::option(const std::string& name, double& value, const std::string& description) const {
  return Option(*command_->add_option(name, value, description));
}

std::string Command::name() const { return command_->get_name(); }

std::string Command::description() const { return command_->get_description(); }

std::vector<OptionFacts> Command::options() const {
  std::vector<OptionFacts> all;
  for (const CLI::Option* option : std::as_const(*command_).get_options()) {
    if (option->get_positional()) continue;
    OptionFacts facts{{}, option->get_description(), option->get_items_expected_max() > 0, choices_of(*option)};
    for (const std::string& name : option->get_snames()) facts.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) facts.names.push_back("--" + name);
    all.push_back(facts);
  }
  return all;
}

std::vector<std::string> Command::argument_choices() const {
  for (const CLI::Option* option : std::as_const(*command_).get_options())
    if (option->get_positional()) return choices_of(*option);
  return {};
}

std::vector<std::string> Command::option_names() const {
  std::vector<std::string> names;
  for (const OptionFacts& option : options())
    for (const std::string& name : option.names)
      if (name.starts_with("--")) names.push_back(name);
  return names;
}

std::map<std::string, int> Command::most_values() const {
  std::map<std::string, int> most;
  for (const CLI::Option* option : std::as_const(*command_).get_options()) {
    int words = option->get_items_expected_max();
    if (words != 0 && option->get_allow_extra_args())
      words = INT_MAX;
    else if (words >=
             CLI::detail::expected_max_vector_size / 16)  // as CLI11 cuts a list that takes one value each time
      words = option->get_type_size_max() * option->get_expected_min();
    for (const std::string& name : option->get_lnames()) most["--" + name] = words;
  }
  return most;
}

std::vector<Command> Command::commands() const {
  std::vector<Command> all;
  for (CLI::App* each : command_->get_subcommands([](const CLI::App*) { return true; })) all.emplace_back(*each);
  return all;
}

std::optional<Command> Command::chosen() const {
  const auto chosen = command_->get_subcommands();
  if (chosen.empty()) return std::nullopt;
  return Command(*chosen.front());
}

}  // namespace ridgeline::cli
