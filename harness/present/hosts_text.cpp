#include "harness/present/hosts_text.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"

namespace ridgeline::present {
namespace {

/// How many hosts a process counted, of which it kept as many as it could. 0 where it does not say.
std::size_t hosts_counted(const record::Facts& facts) {
  const auto found = facts.find("hosts");
  std::size_t count = 0;
  if (found != facts.end())
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), count);
  return count;
}

}  // namespace

std::vector<std::string> hosts_text(const std::vector<record::Facts>& of_processes) {
  constexpr std::size_t most_lines = 20;
  std::vector<std::string> lines;
  std::size_t not_kept = 0;
  for (const record::Facts& facts : of_processes) {
    const auto fact = [&](const std::string& name) {
      const auto found = facts.find(name);
      return found == facts.end() ? std::string() : printable(found->second, 1000);
    };
    std::size_t i = 0;
    for (; facts.contains(fmt::format("host{}.ranks", i)); ++i) {
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
    if (const std::size_t all = hosts_counted(facts); all > i)
      not_kept = std::max(not_kept, all - i);
  }
  const std::size_t more = lines.size() > most_lines ? lines.size() - (most_lines - 1) : 0;
  lines.resize(lines.size() - more);
  std::string rest;
  if (more > 0)
    rest = fmt::format("and {}", units::plural(static_cast<std::int64_t>(more), "more line"));
  if (not_kept > 0)
    rest += fmt::format("{}and {} of which the run keeps nothing", more > 0 ? ", " : "",
                        units::plural(static_cast<std::int64_t>(not_kept), "host"));
  if (!rest.empty()) lines.push_back(rest);
  return lines;
}

}  // namespace ridgeline::present
