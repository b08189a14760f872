#include "harness/present/hosts_text.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"

namespace ridgeline::present {

std::vector<std::string> hosts_text(const std::vector<record::Facts>& of_processes) {
  constexpr std::size_t most_lines = 20;
  std::vector<std::string> lines;
  for (const record::Facts& facts : of_processes) {
    const auto fact = [&](const std::string& name) {
      const auto found = facts.find(name);
      return found == facts.end() ? std::string() : printable(found->second, 1000);
    };
    for (std::size_t i = 0; facts.contains(fmt::format("host{}.ranks", i)); ++i) {
      const std::string host = fmt::format("host{}", i);
      std::string line = fmt::format("{} (ranks {}): ", fact(host), fact(host + ".ranks"));
      const char* between = "";
      for (const char* what : {".links", ".cpu", ".gpus"})
        if (const std::string text = fact(host + what); !text.empty()) {
          line += between + text;
          between = "; ";
        }
      if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
    }
  }
  if (lines.size() <= most_lines) return lines;
  const std::size_t more = lines.size() - (most_lines - 1);
  lines.resize(most_lines - 1);
  lines.push_back(
      fmt::format("and {}", units::plural(static_cast<std::int64_t>(more), "more line")));
  return lines;
}

}  // namespace ridgeline::present
