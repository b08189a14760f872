#include "harness/analysis/profile_changes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "harness/base/text.hpp"

namespace ridgeline::analysis {
namespace {

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// Cuts a comment off, and counts the brackets that stay open.
std::string without_comment(const std::string& line, int& open) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == '\\' && quote == '"')
        ++i;
      else if (c == quote)
        quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      return trimmed(line.substr(0, i));
    } else if (c == '[' || c == ']') {
      open += c == '[' ? 1 : -1;
    }
  }
  return trimmed(line);
}

/// Which cases are measured, for how long at most, and what is thought of them.
bool changes_no_time(const std::string& key) {
  static const std::set<std::string> all{"description", "budget", "case_timeout", "cases",
                                         "sampling.unstable"};
  return all.contains(key) || key.ends_with(".cases");
}

/// Values by "section.key". Reads what profiles hold, of any other text what looks like it.
std::map<std::string, std::string> settings(const std::string& text) {
  std::map<std::string, std::string> found;
  std::istringstream lines(text);
  std::string section, key;
  int open = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool goes_on = open > 0;
    const std::string plain = without_comment(line, open);
    if (plain.empty()) continue;
    if (goes_on) {
      found[key] += plain;
    } else if (plain.front() == '[') {
      section = trimmed(plain.substr(1, plain.find(']') - 1)) + '.';
      open = 0;
    } else if (const auto equals = plain.find('='); equals != std::string::npos) {
      const std::string name = trimmed(plain.substr(0, equals));
      key = section == "." ? name : section + name;
      found[key] = trimmed(plain.substr(equals + 1));
    }
  }
  std::erase_if(found, [](const auto& one) { return changes_no_time(one.first); });
  return found;
}

}  // namespace

std::vector<std::string> profile_changes(const record::Run& before, const record::Run& after) {
  if (before.profile != after.profile)
    return {fmt::format("profile {} -> {}", printable(before.profile), printable(after.profile))};
  if (before.profile_text == after.profile_text) return {};
  const auto old_settings = settings(before.profile_text),
             new_settings = settings(after.profile_text);
  std::set<std::string> keys;
  for (const auto* all : {&old_settings, &new_settings})
    for (const auto& [key, value] : *all) keys.insert(key);
  std::vector<std::string> found;
  const auto text = [](const auto& all, const std::string& key) {
    const auto one = all.find(key);
    return one == all.end() ? std::string("nothing") : one->second;
  };
  for (const std::string& key : keys)
    if (const std::string old_text = text(old_settings, key), new_text = text(new_settings, key);
        old_text != new_text)
      found.push_back(fmt::format("{} of profile {} {} -> {}", printable(key, 60),
                                  printable(before.profile), printable(old_text, 60),
                                  printable(new_text, 60)));
  return found;
}

}  // namespace ridgeline::analysis
