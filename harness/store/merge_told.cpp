#include <algorithm>
#include <tuple>

#include "harness/store/merge_parts.hpp"
#include "harness/store/told.hpp"

namespace ridgeline::store {
namespace {

/// What both know of one change: what was said last stands, and what was told last, of which that
/// nobody was told is the least.
record::Told both(record::Told here, const record::Told& there) {
  if (there.state_at > here.state_at) {
    here.state = there.state;
    here.state_at = there.state_at;
    here.why = there.why;
    here.said_by = there.said_by;
  }
  if (std::tie(there.told_night, there.told_at) > std::tie(here.told_night, here.told_at)) {
    here.event = there.event;
    here.kind = there.kind;
    here.failed = there.failed;
    here.told_night = there.told_night;
    here.told_at = there.told_at;
  }
  return here;
}

void merge_one(Connection& target, const record::Told& one, const std::vector<record::Told>& here,
               Merged::Count& count) {
  const auto known = std::ranges::find(here, one.label, &record::Told::label);
  if (known == here.end()) {
    say(target, std::vector{one});
    ++count.added;
  } else if (const record::Told merged = both(*known, one); merged != *known) {
    say(target, std::vector{merged});
    ++count.extended;
  } else {
    ++count.known;
  }
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
  for (const record::Telling& one : *jobs)
    try_to_write(merged, "job", one.job, source, [&] { tell(target, one, {}); });
}

}  // namespace ridgeline::store
