#include "harness/emulated/findings.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <tuple>

#include "harness/emulated/global_memory.hpp"
#include "harness/emulated/source_lines.hpp"

namespace ridgeline::emulated {
namespace {

/// Which argument, from 1, holds the nearest pointer at or before `address` into the same
/// allocation, or else any that is behind it; 0 when none does.
int argument_into(std::span<const Argument> arguments, std::uint64_t address) {
  int found = 0;
  std::uint64_t nearest = ~std::uint64_t{0};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= arguments[i].bytes;
         at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, static_cast<const std::byte*>(arguments[i].at) + at, sizeof word);
      if (!is_global(word) ||
          (word - global_base) / slot_span != (address - global_base) / slot_span)
        continue;
      const std::uint64_t distance = address - word;  // of a pointer behind it: very large
      if (found != 0 && distance >= nearest) continue;
      found = static_cast<int>(i) + 1;
      nearest = distance;
    }
  }
  return found;
}

}  // namespace

Finding& Findings::add(const char* check, std::uint32_t pc, int thread, int other,
                       std::string_view detail, std::uint64_t global, std::uint64_t variable) {
  const auto same = std::ranges::find_if(
      found_, [&](const Finding& known) { return known.pc == pc && known.check == check; });
  if (same != found_.end()) return ++same->count, *same;
  const int argument = is_global(global) ? argument_into(arguments_, global) : 0;
  return found_.emplace_back(check, pc, block_, thread, other, std::string(detail), argument,
                             variable, 1);
}

bool Findings::notes_again(const char* check, std::uint32_t pc) {
  const auto same = std::ranges::find_if(
      notes_, [&](const Finding& known) { return known.pc == pc && known.check == check; });
  if (same == notes_.end()) return false;
  ++same->count;
  return true;
}

void merge_by_line(std::vector<Finding>& findings) {
  if (findings.size() < 2) return;
  std::vector<std::uint32_t> pcs;
  for (const Finding& each : findings) pcs.push_back(each.pc);
  const std::map<std::uint32_t, SourceLine> lines = source_lines(pcs);
  std::map<std::tuple<std::string, std::string, int, std::uint64_t, std::string>, std::size_t>
      known;
  std::vector<Finding> merged;
  for (Finding& each : findings) {
    const auto line = lines.find(each.pc);
    const bool has_line = line != lines.end() && !line->second.file.empty();
    const auto [at, is_new] =
        known.try_emplace({each.check, has_line ? line->second.file : "",
                           has_line ? line->second.line : static_cast<int>(each.pc), each.variable,
                           each.variable == 0 ? each.detail : ""},
                          merged.size());
    if (is_new) {
      merged.push_back(std::move(each));
      continue;
    }
    Finding& first = merged[at->second];
    first.count += each.count;
    first.accesses += each.accesses;
  }
  findings = std::move(merged);
}

}  // namespace ridgeline::emulated
