#include "harness/present/repeat.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "harness/base/shell.hpp"
#include "harness/base/units.hpp"
#include "harness/gate/commit_range.hpp"
#include "harness/present/gate_report.hpp"

namespace ridgeline::present {
namespace {

constexpr std::size_t hash_digits = 12;  // enough to be the only one

constexpr std::size_t names_in_line = 2;  // of the program and the command

/// The options without a value of the commands that store lines.
constexpr std::string_view flags[] = {
    "--aa",           "--all",     "--accept-changes", "--believe-code", "--counters",
    "--counts-first", "--dry-run", "--github",         "--json",         "--no-wait",
    "--quiet",        "--spread",  "--strict"};

/// Whether `option` is of one run alone: it says where else results go, which who repeats a line by
/// hand does not want again, or why the machine was not fit, which may be over.
bool is_of_one_run(const std::string& option) {
  return option == "--github" || option == "--unfit" ||
         std::ranges::any_of(gate_formats,
                             [&](const GateFormat& format) { return option == format.option; });
}

}  // namespace

std::filesystem::path default_results() {
  const char* folder = std::getenv("RIDGELINE_RESULTS");
  return folder != nullptr && *folder != '\0' ? folder : "results";
}

std::vector<LinePart> line_parts(const std::string& command_line) {
  const std::vector<std::string> words = shell_words(command_line);
  std::vector<LinePart> parts;
  bool options_are_over = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    LinePart& part = parts.emplace_back();
    part.words = {words[i]};
    if (i < names_in_line || options_are_over || !words[i].starts_with("--")) continue;
    const std::size_t equals = words[i].find('=');
    part.option = words[i].substr(0, equals);
    options_are_over = part.option == "--";
    const bool flag = options_are_over || std::ranges::find(flags, part.option) != std::end(flags);
    if (equals != std::string::npos)
      part.value = words[i].substr(equals + 1);
    else if (!flag && i + 1 < words.size())
      part.words.push_back(part.value.emplace(words[++i]));
  }
  return parts;
}

std::string repeating_line(const std::string& command_line, const std::string& device,
                           std::uint64_t seed, const std::vector<std::string>& cases,
                           const std::map<std::string, std::string>& instead) {
  const std::vector<LinePart> line = line_parts(command_line);
  std::vector<std::string> words, patterns;
  for (const LinePart& part : line) {
    const auto replaced = instead.find(part.option);
    if (part.option.empty())
      (words.size() < 2 ? words : patterns).push_back(part.words.front());
    else if (replaced != instead.end())
      words.insert(words.end(), {part.option, replaced->second});
    else if (part.option != "--" && !is_of_one_run(part.option))
      words.insert(words.end(), part.words.begin(), part.words.end());
  }
  for (const auto& [option, value] :
       {std::pair("--device", device), std::pair("--seed", std::to_string(seed))})
    if (std::ranges::count(line, option, &LinePart::option) == 0)
      words.insert(words.end(), {option, value});
  const std::vector<std::string>& chosen = cases.empty() ? patterns : cases;
  words.insert(words.end(), chosen.begin(), chosen.end());
  return shell_line(words);
}

std::string repeating_line(const record::Run& run, const std::string& device,
                           const std::vector<std::string>& cases) {
  return run.imported.empty() ? repeating_line(run.command_line, device, run.seed, cases) : "";
}

std::vector<std::string> names_to_repeat(std::vector<std::string> names) {
  constexpr std::size_t most = 20;
  if (names.size() > most) names.clear();
  return names;
}

std::string repeating_failures(const record::Run& run, const std::string& device,
                               const std::vector<analysis::CaseSummary>& summaries) {
  std::vector<std::string> failed;
  for (const analysis::CaseSummary& summary : summaries)
    if (record::is_failure(summary.outcome)) failed.push_back(record::name(summary.case_info.id));
  if (failed.empty()) return {};
  return repeating_line(run, device, names_to_repeat(failed));
}

std::string gate_of_commits(const std::string& baseline, const std::string& candidate,
                            const std::string& device, const std::vector<std::string>& patterns) {
  std::vector<std::string> words{"ridgeline",       "gate",
                                 "--device",        device,
                                 "--baseline-ref",  baseline.substr(0, hash_digits),
                                 "--candidate-ref", candidate.substr(0, hash_digits)};
  words.insert(words.end(), patterns.begin(), patterns.end());
  return shell_line(words);
}

std::string search_of_commits(const std::string& good, const std::string& bad,
                              const std::string& device, const std::string& case_name,
                              std::optional<double> delta) {
  // Many findings share their commits, and each question starts git.
  static std::map<std::pair<std::string, std::string>, std::optional<std::size_t>> asked;
  const auto [found, is_new] = asked.try_emplace({good, bad});
  if (is_new) found->second = gate::count_between(good, bad);
  if (found->second.value_or(0) < 2) return {};
  std::vector<std::string> words{"ridgeline",
                                 "bisect",
                                 case_name,
                                 "--good",
                                 good.substr(0, hash_digits),
                                 "--bad",
                                 bad.substr(0, hash_digits),
                                 "--device",
                                 device};
  if (delta && *delta > 0 && *delta < 1)
    words.insert(words.end(), {"--delta", units::percent(*delta)});
  return shell_line(words);
}

std::vector<std::string> values_of(const std::string& command_line, const std::string& option) {
  std::vector<std::string> values;
  for (const LinePart& part : line_parts(command_line))
    if (part.option == option && part.value) values.push_back(*part.value);
  return values;
}

std::vector<std::string> typed_patterns(const std::string& command_line) {
  std::vector<std::string> patterns;
  for (const LinePart& part : line_parts(command_line))
    if (part.option.empty()) patterns.push_back(part.words.front());
  patterns.erase(patterns.begin(),
                 patterns.begin() + std::min<std::ptrdiff_t>(names_in_line, std::ssize(patterns)));
  return patterns;
}

bool is_repeat(const std::string& command_line) {
  return !values_of(command_line, "--repeat-of").empty();
}

}  // namespace ridgeline::present
