#include "harness/cli/repeat.hpp"

#include <algorithm>
#include <cstddef>

#include "harness/cli/command.hpp"

namespace ridgeline::cli {
namespace {

/// The arguments that shell_line made `line` of.
std::vector<std::string> shell_words(const std::string& line) {
  std::vector<std::string> words;
  bool quoted = false, inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!quoted && line[i] == ' ') {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (line[i] == '\'')
      quoted = !quoted;
    else if (!quoted && line[i] == '\\' && i + 1 < line.size())
      words.back() += line[++i];
    else
      words.back() += line[i];
  }
  return words;
}

/// Whether `word` is an option of `run` or `gate` whose value is the next word.
bool takes_next(const std::string& word) {
  constexpr const char* flags[] = {"--strict", "--no-wait", "--json",          "--quiet",
                                   "--aa",     "--github",  "--accept-changes"};
  return word.starts_with("--") && word != "--" && word.find('=') == std::string::npos &&
         std::ranges::find(flags, word) == std::end(flags);
}

/// Options that say where else results go, which who repeats a line by hand does not want again.
constexpr const char* elsewhere[] = {"--markdown", "--junit", "--github"};

}  // namespace

std::string repeating_line(const std::string& command_line, const std::string& device, std::uint64_t seed,
                           const std::vector<std::string>& cases, const std::map<std::string, std::string>& instead) {
  const std::vector<std::string> typed = shell_words(command_line);
  std::vector<std::string> options, patterns;
  bool has_device = false, has_seed = false, only_patterns = false;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    const std::string& word = typed[i];
    if (i < 2) {  // ridgeline run
      options.push_back(word);
    } else if (only_patterns || !word.starts_with("--")) {
      patterns.push_back(word);
    } else if (word == "--") {
      only_patterns = true;
    } else {
      const std::string name = word.substr(0, word.find('='));
      has_device = has_device || name == "--device";
      has_seed = has_seed || name == "--seed";
      const auto replaced = instead.find(name);
      if (replaced != instead.end()) {
        options.insert(options.end(), {name, replaced->second});
      } else if (!std::ranges::count(elsewhere, name)) {
        options.push_back(word);
        if (takes_next(word) && i + 1 < typed.size()) options.push_back(typed[i + 1]);
      }
      if (takes_next(word)) ++i;
    }
  }
  if (!has_device) options.insert(options.end(), {"--device", device});
  if (!has_seed) options.insert(options.end(), {"--seed", std::to_string(seed)});
  const std::vector<std::string>& chosen = cases.empty() ? patterns : cases;
  options.insert(options.end(), chosen.begin(), chosen.end());
  return shell_line(options);
}

std::vector<std::string> values_of(const std::string& command_line, const std::string& option) {
  const std::vector<std::string> words = shell_words(command_line);
  std::vector<std::string> values;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (words[i].starts_with(option + '='))
      values.push_back(words[i].substr(option.size() + 1));
    else if (words[i] == option && i + 1 < words.size())
      values.push_back(words[i + 1]);
    if (takes_next(words[i])) ++i;
  }
  return values;
}

}  // namespace ridgeline::cli
