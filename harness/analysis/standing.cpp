#include "harness/analysis/standing.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/analysis/over.hpp"
#include "harness/analysis/recognition.hpp"
#include "harness/analysis/told_events.hpp"
#include "harness/base/day.hpp"
#include "harness/stats/median.hpp"

// What comes of a finding, by what it was before this night and what it is now:
//
//   it was                      and is now                 new        fails      stored
//   --------------------------  -------------------------  ---------  ---------  ----------------
//   not told                    undone                     no         no         resolved
//                               told by this night [1]     yes        if worse   told
//                               told by a night before     no         no         known
//                               one that joins an event    no         no         joined: told, and
//                                 that was told [2]                                worse as that
//                                 was
//   known: nobody was told      worse, and of another      yes        yes        told
//                                 kind than it was
//                               anything else              no         no         as it is
//   told, for nothing worse     worse                      yes        yes        told
//   told                        anything else              while [3]  again [4]  as it is
//   answered by somebody        anything but undone        no         no         as it is
//   told, known or answered     undone                     no         no         resolved
//                               not found any more [5]     listed as gone        resolved
//   resolved by the program     found, and not undone      as it was before      reopened, or told
//
//   [1] For a job that has told before: by any night of the last 60. What was stored without being
//       told, by another job or with an answer that was taken back, is not told either, unless
//       nights before the job's first one found it.
//   [2] told_events.hpp
//   [3] As far as TrendRules::new_nights reach.
//   [4] When the job starts again for the night on which it was told.
//   [5] What somebody has acknowledged stays so instead: it may be found again.
//
// "Worse" is what fails a night: Subject::worse. Of a row, record::Told::failed says that it was
// told as worse, and told_night that it was told at all.

namespace ridgeline::analysis {
namespace {

using record::Told;
using record::ToldState;
using record::ToldWhat;

bool is_of_program(const Told& told) {
  return told.state == ToldState::resolved && told.said_by == record::said_by_program;
}

bool is_recent(const std::string& then, const std::string& now) {
  const auto from = parse_point_in_time(then), to = parse_point_in_time(now);
  return from && to && std::chrono::abs(*to - *from) < same_job;
}

/// What a finding is held against.
struct Tonight {
  const Remembered& before;
  std::size_t nights = 0;  // so many there are
  std::string date;
  std::string since;  // what was told from this night on is new
  const std::string& now;

  /// Whether the job starts again for the night on which it told.
  bool is_told_now(const Told& told) const {
    return told.told_night == date && (before.of_a_day || is_recent(told.told_at, now));
  }
};

/// Whether the job has still to tell it: nobody was told, and it was not known when the job began.
bool is_untold(const Subject& one, const Tonight& tonight) {
  const std::optional<Told>& told = one.standing->told;
  if (!told) return true;
  return told->told_night.empty() &&
         one.trend->nights.nights[one.raised].date >= tonight.before.first_night;
}

/// Sets whether `one` is new, whether it may fail a night, and what is stored of it: the table
/// above, but for what joins an event.
void judge(const Subject& one, const Tonight& tonight) {
  Standing& standing = *one.standing;
  bool& is_new = *one.is_new;
  if (!one.told) return;  // as the night tells it, which is not stored
  const auto becomes = [&](bool as_new, bool quiet, Retelling retelling) {
    is_new = as_new;
    standing.quiet = quiet;
    standing.retelling = retelling;
  };
  bool reopened = false;
  if (standing.told && is_of_program(*standing.told) && !standing.undone) {
    reopened = tonight.before.resolves;
    standing.told->state = ToldState::told;
    standing.told->why.clear();
    standing.told->said_by.clear();
  }
  const Told* told = standing.told ? &*standing.told : nullptr;
  if (standing.undone)
    return becomes(
        false, true,
        told && told->state == ToldState::resolved ? Retelling::none : Retelling::resolved);
  if (told && told->state != ToldState::told) return becomes(false, true, Retelling::none);
  const Retelling otherwise = reopened ? Retelling::reopened : Retelling::none;
  if (is_untold(one, tonight)) {
    const bool fresh =
        tonight.before.first_night.empty() ? is_new : one.latest + oldest_new >= tonight.nights;
    return becomes(fresh, !fresh, fresh ? Retelling::told : (told ? otherwise : Retelling::known));
  }
  const bool was_told = !told->told_night.empty();
  if (one.worse && !told->failed && (was_told || told->kind != one.kind))
    return becomes(true, false, Retelling::told);
  becomes(was_told && told->told_night >= tonight.since, !tonight.is_told_now(*told), otherwise);
}

/// "undone on 2026-04-06; acknowledged by ops: ticket 17": an answer is not lost.
std::string with_answer(std::string why, const Told& told) {
  if (told.why.empty()) return why;
  return fmt::format("{}; {}{}: {}", why, to_string(told.state),
                     told.said_by.empty() ? "" : " by " + told.said_by, told.why);
}

void resolve(Told& told, const std::string& why, const std::string& now) {
  told.why = with_answer(why, told);
  told.state = ToldState::resolved;
  told.state_at = now;
  told.said_by = record::said_by_program;
}

}  // namespace

Remembered remembered(store::Connection& connection, const NightlyDevice& device,
                      const std::string& job, const std::string& until) {
  Remembered all;
  all.of_a_day = !until.empty();
  const auto is_of_device = [&](const auto& one) {
    return one.device == device.key && one.profile == device.profile;
  };
  for (Told& one : store::told(connection)) {
    if (!is_of_device(one)) continue;
    if (all.of_a_day) {
      // By nights: when a job told of them is another matter, and what was not told is not new
      // because of it.
      if (one.told_night.empty() || one.told_night > device.nights.back().date) continue;
      if (one.state_at.substr(0, 10) > until) {
        one.state = ToldState::told;
        one.why.clear();
        one.said_by.clear();
      }
    }
    all.told.push_back(std::move(one));
  }
  if (all.of_a_day) return all;
  const record::Telling* first = nullptr;
  const std::vector<record::Telling> tellings = store::tellings(connection);
  for (const record::Telling& one : tellings) {
    if (!is_of_device(one)) continue;
    if (one.job == job) all.first_night = one.night;
    if (!first || (!first->job.empty() && (one.job.empty() || one.told_at < first->told_at)))
      first = &one;
  }
  all.resolves = job.empty() || !first || first->job == job;
  return all;
}

void stand(DeviceTrend& trend, const Remembered& remembered, const TrendRules& rules,
           const std::string& now) {
  const std::vector<Subject> subjects = subjects_of(trend);
  const std::vector<const Told*> lost = recognise(subjects, remembered.told, trend);
  const double usual_step = least_step_of(trend.nights.device.kind);
  find_undone(subjects, usual_step);
  std::set<std::string> labels;
  for (const Told& told : remembered.told) labels.insert(told.label);
  const std::vector<Night>& nights = trend.nights.nights;
  const Tonight tonight{remembered, nights.size(), nights.back().date,
                        nights[nights.size() - std::min(nights.size(), rules.new_nights)].date,
                        now};
  for (const Subject& one : subjects) {
    if (!one.standing->told) one.standing->label = new_label(one, labels);
    judge(one, tonight);
  }
  const ToldEvents events = events_of(remembered.told);
  for (FleetEvent& event : trend.fleet) {
    join(event, events, trend.nights, trend.least_step);
    stand_together(event);
  }
  if (remembered.resolves) find_gone(trend, lost, rules, usual_step);
}

store::Retold retold(DeviceTrend& trend, const std::string& now) {
  store::Retold changes;
  const std::vector<Night>& nights = trend.nights.nights;
  for (const Subject& one : subjects_of(trend)) {
    const Standing& standing = *one.standing;
    if (standing.retelling == Retelling::none) continue;
    Told row = standing.told ? *standing.told : row_of(trend, one, now);
    const std::string read = row.state_at;
    if (standing.retelling == Retelling::told || standing.retelling == Retelling::joined) {
      row.kind = one.kind;
      row.failed = one.worse;
      row.told_night = nights.back().date;
      row.told_at = row.state_at = now;
      if (one.event) row.event = one.event->standing.label;
    } else if (standing.retelling == Retelling::resolved) {
      resolve(row, "undone on " + nights[*standing.undone].date, now);
    } else if (standing.retelling == Retelling::reopened) {
      row.state_at = now;
    }
    if (standing.told)
      changes.changed.emplace_back(std::move(row), read);
    else
      changes.added.push_back(std::move(row));
  }
  const auto is_over = [&](Told told, const std::string& why) {
    const std::string read = told.state_at;
    resolve(told, why, now);
    changes.changed.emplace_back(std::move(told), read);
  };
  for (const auto& [told, why] : trend.over) is_over(told, why);
  for (const Told& told : trend.gone)
    is_over(told, told.what == ToldWhat::stop ? "measured again" : "not found any more");
  return changes;
}

std::optional<std::int64_t> silence_of(const NightlyDevice& device, std::chrono::sys_seconds now) {
  constexpr std::size_t recent = 15;
  constexpr std::int64_t nights = 3;
  const std::int64_t today = std::chrono::floor<std::chrono::days>(now).time_since_epoch().count();
  std::vector<double> gaps;
  const std::vector<Night>& all = device.nights;
  for (std::size_t i = std::max<std::size_t>(1, all.size() - std::min(all.size(), recent));
       i < all.size(); ++i)
    gaps.push_back(static_cast<double>(all[i].day - all[i - 1].day));
  const double usual = gaps.empty() ? 1 : std::max(1.0, stats::median(gaps));
  const std::int64_t silent = today - all.back().day;
  if (static_cast<double>(silent) <= nights * usual) return std::nullopt;
  return silent;
}

}  // namespace ridgeline::analysis
