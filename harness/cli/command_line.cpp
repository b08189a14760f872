#include "harness/cli/command_line.hpp"

#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>

#include "harness/base/error.hpp"
#include "harness/present/said_lines.hpp"

namespace ridgeline::cli {
namespace {

/// CLI11 has the values that IsMember allows only in what --help says of the type:
/// "TEXT:{name,time}".
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.find('}');
  std::vector<std::string> choices;
  if (open == std::string::npos || close == std::string::npos) return choices;
  std::istringstream values(type.substr(open + 1, close - open - 1));
  for (std::string value; std::getline(values, value, ',');) choices.push_back(value);
  return choices;
}

/// Whether `word` is an option of `command`: "--json", "-h".
bool is_option(const CLI::App& command, const std::string& word) {
  return word.starts_with('-') && command.get_option_no_throw(word) != nullptr;
}

/// "--nights cannot be 1e99", of CLI11's "Could not convert: --nights = 1e99".
std::string in_words(const CLI::ConversionError& error) {
  std::string text = error.what();
  const std::string lead = "Could not convert: ", between = " = ";
  const std::size_t value = text.find(between);
  if (!text.starts_with(lead) || value == std::string::npos) return text;
  return text.substr(lead.size(), value - lead.size()) + " cannot be " +
         text.substr(value + between.size());
}

}  // namespace

Command Command::command(const std::string& name, const std::string& description,
                         const std::string& footer, std::function<void()> chosen) const {
  CLI::App& command = *command_->add_subcommand(name, description);
  command.footer(footer);
  if (chosen)
    // CLI11 calls that of a command also for the commands below it, and last.
    command.callback([&command, chosen = std::move(chosen)] {
      if (command.get_subcommands().empty()) chosen();
    });
  else
    command.require_subcommand(1);
  return Command(command);
}

void Command::flag(const std::string& name, bool& given, const std::string& description) const {
  command_->add_flag(name, given, description);
}

template <class T>
void Command::option(const std::string& name, T& value, const std::string& description,
                     const OptionRules& rules) const {
  CLI::Option& option = *command_->add_option(name, value, description);
  if (rules.value_name) option.type_name(*rules.value_name);
  if (!rules.default_text.empty()) option.default_str(rules.default_text);
  option.required(rules.required);
  if (rules.values > 0) option.expected(rules.values);
  if (rules.one_value) option.allow_extra_args(false);
  if (rules.separator != 0) option.delimiter(rules.separator);
  if (rules.between) option.check(CLI::Range(rules.between->first, rules.between->second));
  if (!rules.one_of.empty()) option.check(CLI::IsMember(rules.one_of));
  if (!rules.may_be_empty)
    option.check(CLI::Validator(
        [](const std::string& value) { return std::string(value.empty() ? "it is empty" : ""); },
        ""));
  if (name.starts_with('-'))  // what stands after "--" is meant
    option.check(CLI::Validator(
        [command = command_](const std::string& value) {
          const std::string word = value.substr(0, value.find('='));
          return std::string(is_option(*command, word)
                                 ? "its value is missing, for " + word + " is an option itself"
                                 : "");
        },
        ""));
  if (rules.complaint)
    option.check(CLI::Validator(
        [complain = rules.complaint](const std::string& value) { return complain(value); }, ""));
}

using Text = const std::string&;
template void Command::option(Text, std::string&, Text, const OptionRules&) const;
template void Command::option(Text, std::optional<std::string>&, Text, const OptionRules&) const;
template void Command::option(Text, std::vector<std::string>&, Text, const OptionRules&) const;
template void Command::option(Text, int&, Text, const OptionRules&) const;
template void Command::option(Text, std::optional<int>&, Text, const OptionRules&) const;
template void Command::option(Text, std::optional<double>&, Text, const OptionRules&) const;

void Command::exclusive(const std::vector<std::string>& names) const {
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      command_->get_option(names[i])->excludes(command_->get_option(names[j]));
}

std::string Command::name() const { return command_->get_name(); }

std::string Command::description() const { return command_->get_description(); }

std::vector<OptionFacts> Command::options() const {
  std::vector<OptionFacts> all;
  for (const CLI::Option* option : std::as_const(*command_).get_options()) {
    OptionFacts facts{
        {}, option->get_description(), option->get_items_expected_max() > 0, choices_of(*option)};
    for (const std::string& name : option->get_snames()) facts.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) facts.names.push_back("--" + name);
    all.push_back(facts);
  }
  return all;
}

std::vector<Command> Command::commands() const {
  std::vector<Command> all;
  for (CLI::App* each : command_->get_subcommands([](const CLI::App*) { return true; }))
    all.emplace_back(*each);
  return all;
}

std::optional<Command> Command::chosen() const {
  const auto chosen = command_->get_subcommands();
  if (chosen.empty()) return std::nullopt;
  return Command(*chosen.front());
}

Program::Program(const std::string& name, const std::string& description, const std::string& footer,
                 const std::function<std::string()>& version)
    : program_(std::make_unique<CLI::App>(description, name)) {
  program_->footer(footer);
  program_->require_subcommand(1);
  program_->set_help_flag("-h,--help", "Print this help");
  program_->set_version_flag("--version", version);
  program_->option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

Program::~Program() = default;

std::optional<int> Program::parse(const std::vector<std::string>& arguments) {
  try {
    program_->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& wish) {  // --help or --version
    present::SaidLines out(stdout);
    return program_->exit(wish, out, out);
  } catch (const CLI::ConversionError& error) {
    throw Error(ErrorKind::usage, in_words(error));
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorKind::usage, error.what());
  }
  return std::nullopt;
}

}  // namespace ridgeline::cli
