#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "ci/studies/fuzzing/targets/target.hpp"
#include "harness/base/text.hpp"
#include "harness/run/selection.hpp"

/// Patterns of cases, as people type them, and profiles and rules have them. Each line of an input
/// is a pattern, or a case's name.
namespace ridgeline::fuzzing::targets {

namespace {

/// What docs/glossary.md calls a pattern, without a library: which places of the glob are reached.
bool picks_whole(std::string_view glob, std::string_view name) {
  std::vector<bool> reached(glob.size() + 1, false);
  const auto reach = [&](std::vector<bool>& places, std::size_t place) {
    places[place] = true;
    for (; place < glob.size() && glob[place] == '*'; ++place) places[place + 1] = true;
  };
  reach(reached, 0);
  for (const char c : name) {
    std::vector<bool> next(glob.size() + 1, false);
    for (std::size_t place = 0; place < glob.size(); ++place)
      if (reached[place]) {
        if (glob[place] == '*') reach(next, place);
        if (glob[place] == '?' || glob[place] == c) reach(next, place + 1);
      }
    reached = next;
  }
  return reached.back();
}

bool picks(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return false;
  if (picks_whole(pattern, name)) return true;
  return picks_whole(fmt::format("{}{}*", pattern, pattern.ends_with('/') ? "" : "/"), name);
}

void read_patterns(std::string_view input) {
  std::vector<std::string> lines;
  while (lines.size() < 8 && !input.empty()) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    lines.emplace_back(input.substr(0, std::min<std::size_t>(end, 400)));
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  for (const std::string& pattern : lines) {
    const std::string shown = printable(pattern, 4000);
    expect(is_utf8(shown) && printable(shown, 8000) == shown, "what is printable is not");
    expect(pattern.empty() || matches(pattern, pattern), "a pattern misses itself: " + shown);
    for (const std::string& name : lines)
      if (matches(pattern, name) != picks(pattern, name))
        throw Finding(fmt::format("pattern {} and name {}: matches says {}", shown,
                                  printable(name, 4000), matches(pattern, name)));
    const std::string near = nearest(pattern, lines);
    expect(near.empty() || std::ranges::count(lines, near) > 0, "near is what is not there");
    const bool picked =
        std::ranges::any_of(lines, [&](const std::string& name) { return picks(pattern, name); });
    const bool accepted = accepts({ErrorKind::usage}, [&] {
      check_picks({pattern}, lines, "the run", "ridgeline show lists its cases");
      run::check_patterns({pattern}, lines);
    });
    expect(accepted == picked, "a pattern that picks something is refused, or the reverse");
  }
}

std::vector<std::string> pattern_seeds() {
  return {"gemm/naive/f32/m=1,n=2,k=3\ngemm\ngemm/*/f32\n*", "a[b]c\na?b?c\n[a-z]\n\\*\na\\b",
          "gemm/\ngemm/x\n**\n!a\n\xc3\xa9\n?"};
}

}  // namespace

Target patterns() {
  return {read_patterns,
          pattern_seeds,
          2048,
          {"*", "?", "/", "[", "]", "[!", "\\", "[[", "[:alpha:]", "**", "\xc3\xa9", "\n"}};
}

}  // namespace ridgeline::fuzzing::targets
