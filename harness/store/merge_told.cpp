#include <algorithm>

#include "harness/store/merge_parts.hpp"
#include "harness/store/told.hpp"

namespace ridgeline::store {
namespace {

/// Adds or replaces one; what was said last stands.
void merge_one(Connection& target, const record::Told& one, const std::vector<record::Told>& here,
               Merged::Count& count) {
  const auto known = std::ranges::find(here, one.label, &record::Told::label);
  if (known != here.end() && known->state_at >= one.state_at) {
    ++count.known;
    return;
  }
  say(target, std::vector{one});
  ++(known == here.end() ? count.added : count.extended);
}

}  // namespace

void merge_told(Connection& target, Connection& source, Merged& merged) {
  const auto from = try_to_read(merged, [&] { return std::optional(told(source)); });
  if (from) {
    const std::vector<record::Told> here = told(target);
    for (const record::Told& one : *from)
      try_to_write(merged, "told change", one.label, source,
                   [&] { merge_one(target, one, here, merged.told); });
  }
  const auto jobs = try_to_read(merged, [&] { return std::optional(tellings(source)); });
  if (!jobs) return;
  const std::vector<record::Telling> known = tellings(target);
  for (const record::Telling& one : *jobs) {
    const bool older = std::ranges::any_of(known, [&](const record::Telling& other) {
      return other.device == one.device && other.profile == one.profile && other.job == one.job &&
             other.told_at >= one.told_at;
    });
    if (!older) try_to_write(merged, "job", one.job, source, [&] { tell(target, one, {}); });
  }
}

}  // namespace ridgeline::store
