#include "harness/process/rank_watch.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "harness/base/text.hpp"

namespace ridgeline::process {
namespace {

constexpr double fresh_s = 2;  // a beat a second, and as long again for a busy machine
constexpr std::size_t most_name_bytes = 60;

double s_between(Clock::time_point before, Clock::time_point after) {
  return std::chrono::duration<double>(after - before).count();
}

/// Calls `take` with each number of "0-3, 8" that is less than `end`; stops at what is no such
/// text.
template <class Take>
void each_of_ranges(std::string_view text, int end, Take take) {
  const auto number = [&](int& value) {
    const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    return failed == std::errc() && value >= 0;
  };
  for (int first = 0; number(first);) {
    int last = first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      if (!number(last)) return;
    }
    for (int i = first; i <= std::min(last, end - 1); ++i) take(static_cast<std::size_t>(i));
    if (!text.starts_with(", ")) return;
    text.remove_prefix(2);
  }
}

/// "rank 4 on node2 and 3 more have", "rank 1 on node2 has".
std::string told(const std::vector<std::string>& names) {
  const std::size_t more = names.size() - 1;
  return names.front() + (more == 0 ? " has" : fmt::format(" and {} more have", more));
}

}  // namespace

RankWatch::RankWatch(const record::Facts& hosts, int ranks, double patience_s)
    : patience_s_(patience_s), ranks_(static_cast<std::size_t>(ranks)) {
  for (std::size_t i = 0; i < ranks_.size(); ++i) ranks_[i].name = fmt::format("rank {}", i);
  for (std::size_t number = 0; number < ranks_.size(); ++number) {
    const std::string host = fmt::format("host{}", number);
    const auto name = hosts.find(host), its_ranks = hosts.find(host + ".ranks");
    if (its_ranks == hosts.end()) break;
    each_of_ranges(its_ranks->second, ranks, [&](std::size_t i) {
      ranks_[i].is_away = number > 0;
      ranks_[i].name = fmt::format("rank {}", i);
      if (name != hosts.end()) ranks_[i].name += " on " + printable(name->second, most_name_bytes);
    });
  }
}

bool RankWatch::has_away() const { return std::ranges::any_of(ranks_, &Rank::is_away); }

void RankWatch::begin(Clock::time_point now) {
  begun_ = now;
  for (Rank& rank : ranks_) {
    rank.heard.reset();
    rank.idle_since.reset();
  }
}

bool RankWatch::is_last(const Rank& rank) const {
  const auto [least, most] = std::ranges::minmax_element(ranks_, {}, &Rank::meetings);
  return rank.meetings == least->meetings && rank.meetings < most->meetings;
}

void RankWatch::hear(int rank, const protocol::Beat& beat, Clock::time_point now) {
  if (rank < 0 || static_cast<std::size_t>(rank) >= ranks_.size()) return;
  Rank& from = ranks_[static_cast<std::size_t>(rank)];
  const bool has_moved = beat.meetings != from.meetings;
  from.heard = now;
  from.is_known = true;
  from.meetings = beat.meetings;
  if (!beat.is_idle || has_moved || !is_last(from))
    from.idle_since.reset();
  else if (!from.idle_since)
    from.idle_since = now;
}

std::string RankWatch::fault(Clock::time_point now) const {
  const auto is_fresh = [&](const Rank& rank) {
    return rank.heard && s_between(*rank.heard, now) < fresh_s;
  };
  if (std::ranges::none_of(ranks_, is_fresh)) return {};
  std::vector<std::string> silent, idle;
  bool all_idle = true;  // of those that are last
  for (const Rank& rank : ranks_) {
    if (rank.is_away && rank.is_known && s_between(rank.heard.value_or(begun_), now) >= patience_s_)
      silent.push_back(rank.name);
    if (!is_last(rank)) continue;
    if (rank.idle_since && is_fresh(rank) && s_between(*rank.idle_since, now) >= patience_s_)
      idle.push_back(rank.name);
    else
      all_idle = false;
  }
  if (!silent.empty())
    return fmt::format(
        "{} not been heard of for {:g} s, and others have: stopped, or the host or "
        "the way to it is lost",
        told(silent), patience_s_);
  if (idle.empty() || !all_idle) return {};
  return fmt::format("{} done nothing for {:g} s, while others wait", told(idle), patience_s_);
}

}  // namespace ridgeline::process
