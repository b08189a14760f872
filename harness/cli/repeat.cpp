#include "harness/cli/repeat.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "harness/base/shell.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/program.hpp"
#include "harness/present/gate_formats.hpp"

namespace ridgeline::cli {
namespace {

/// Command::most_values of the commands that store lines, by their names.
std::map<std::string, std::map<std::string, int>> declared() {
  Context context;
  Program program("ridgeline", "", "", "");
  std::map<std::string, std::map<std::string, int>> found;
  for (const auto add : {add_run, add_gate}) add(program.root(), context);
  for (const Command& command : program.root().commands()) found[command.name()] = command.most_values();
  return found;
}

/// Whether `option` says where else results go, which who repeats a line by hand does not want again.
bool writes_elsewhere(const std::string& option) {
  return option == "--github" || std::ranges::any_of(present::gate_formats(), [&](const present::GateFormat& format) {
           return option == format.option;
         });
}

bool is_option(const std::string& word) { return word.starts_with("--"); }

}  // namespace

std::vector<LinePart> line_parts(const std::vector<std::string>& words, const std::map<std::string, int>& most_values) {
  constexpr std::size_t names = 2;  // of the program and the command
  std::vector<LinePart> parts;
  bool options_are_over = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    LinePart& part = parts.emplace_back();
    part.words = {words[i]};
    if (i < names || options_are_over || !is_option(words[i])) continue;
    const std::size_t equals = words[i].find('=');
    part.option = words[i].substr(0, equals);
    options_are_over = part.option == "--";
    if (equals != std::string::npos) part.values.push_back(words[i].substr(equals + 1));
    const auto found = most_values.find(part.option);
    const int most = options_are_over ? 0 : found == most_values.end() ? 1 : found->second;
    // The first value may look like an option.
    while (std::cmp_less(part.values.size(), most) && i + 1 < words.size() &&
           (part.values.empty() || !is_option(words[i + 1]))) {
      part.values.push_back(words[++i]);
      part.words.push_back(words[i]);
    }
  }
  return parts;
}

std::vector<LinePart> line_parts(const std::string& command_line) {
  static const auto commands = declared();
  const std::vector<std::string> words = shell_words(command_line);
  const auto found = words.size() < 2 ? commands.end() : commands.find(words[1]);
  return line_parts(words, found == commands.end() ? std::map<std::string, int>{} : found->second);
}

std::string repeating_line(const std::vector<LinePart>& line, const std::string& device, std::uint64_t seed,
                           const std::vector<std::string>& cases, const std::map<std::string, std::string>& instead) {
  std::vector<std::string> words, patterns;
  for (const LinePart& part : line) {
    const auto replaced = instead.find(part.option);
    if (part.option.empty())
      (words.size() < 2 ? words : patterns).push_back(part.words.front());
    else if (replaced != instead.end())
      words.insert(words.end(), {part.option, replaced->second});
    else if (part.option != "--" && !writes_elsewhere(part.option))
      words.insert(words.end(), part.words.begin(), part.words.end());
  }
  if (std::ranges::count(line, "--device", &LinePart::option) == 0) words.insert(words.end(), {"--device", device});
  if (std::ranges::count(line, "--seed", &LinePart::option) == 0)
    words.insert(words.end(), {"--seed", std::to_string(seed)});
  const std::vector<std::string>& chosen = cases.empty() ? patterns : cases;
  words.insert(words.end(), chosen.begin(), chosen.end());
  return shell_line(words);
}

std::string repeating_line(const std::string& command_line, const std::string& device, std::uint64_t seed,
                           const std::vector<std::string>& cases, const std::map<std::string, std::string>& instead) {
  return repeating_line(line_parts(command_line), device, seed, cases, instead);
}

std::string repeating_failures(const std::string& command_line, const std::string& device, std::uint64_t seed,
                               const std::vector<analysis::CaseSummary>& summaries) {
  constexpr std::size_t most = 20;  // names
  std::vector<std::string> failed;
  for (const analysis::CaseSummary& summary : summaries)
    if (record::is_failure(summary.outcome) && failed.size() < most)
      failed.push_back(record::name(summary.case_info.id));
  return failed.empty() ? "" : repeating_line(command_line, device, seed, failed);
}

std::vector<std::string> values_of(const std::string& command_line, const std::string& option) {
  std::vector<std::string> values;
  for (const LinePart& part : line_parts(command_line))
    if (part.option == option) values.insert(values.end(), part.values.begin(), part.values.end());
  return values;
}

}  // namespace ridgeline::cli
