#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "harness/store/merge_parts.hpp"
#include "harness/store/told.hpp"

namespace ridgeline::store {
namespace {

/// When something was said: what a clock of the future dates is earlier than all that can be right.
auto order(std::string_view time, std::string_view now) { return std::pair(time <= now, time); }

/// What both know of one change: what was said last stands, and what was told last, of which that
/// nobody was told is the least.
record::Told both(record::Told here, const record::Told& there, std::string_view now) {
  if (order(there.state_at, now) > order(here.state_at, now)) {
    here.state = there.state;
    here.state_at = there.state_at;
    here.why = there.why;
    here.said_by = there.said_by;
  }
  const auto told = [&](const record::Told& one) {
    return std::tuple(one.told_at <= now, one.told_night, one.told_at);
  };
  if (told(there) > told(here)) {
    here.event = there.event;
    here.kind = there.kind;
    here.failed = there.failed;
    here.told_night = there.told_night;
    here.told_at = there.told_at;
  }
  return here;
}

void merge_one(Connection& target, const record::Told& one, const std::vector<record::Told>& here,
               std::string_view now, Merged::Count& count) {
  const auto known = std::ranges::find(here, one.label, &record::Told::label);
  if (known == here.end()) {
    say(target, std::vector{one});
    ++count.added;
  } else if (const record::Told merged = both(*known, one, now); merged != *known) {
    say(target, std::vector{merged});
    ++count.extended;
  } else {
    ++count.known;
  }
}

}  // namespace

void merge_told(Connection& target, Connection& source, std::string_view now, Merged& merged) {
  const auto from = try_to_read(merged, [&] { return std::optional(told(source)); });
  if (from) {
    const std::vector<record::Told> here = told(target);
    for (const record::Told& one : *from)
      try_to_write(merged, "told change", one.label, source,
                   [&] { merge_one(target, one, here, now, merged.told); });
  }
  const auto jobs = try_to_read(merged, [&] { return std::optional(tellings(source)); });
  if (!jobs) return;
  for (const record::Telling& one : *jobs)
    try_to_write(merged, "job", one.job, source, [&] { tell(target, one, {}); });
}

}  // namespace ridgeline::store
