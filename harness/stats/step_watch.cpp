#include "harness/stats/step_watch.hpp"

#include <algorithm>
#include <cmath>

#include "harness/base/error.hpp"
#include "harness/stats/distributions.hpp"
#include "harness/stats/lone_nights.hpp"
#include "harness/stats/median.hpp"
#include "harness/stats/series_noise.hpp"
#include "harness/stats/step_slope.hpp"

namespace ridgeline::stats {
namespace {

constexpr std::size_t least_nights = 4;                 // before them nothing is known of the noise
constexpr double times_record = 1.5, times_tick = 1.5;  // that a move has to be

/// Nights after which the noise is learned again.
std::size_t learning_interval(std::size_t nights) {
  if (nights < 20) return 1;
  return nights < 60 ? 3 : 7;
}

}  // namespace

StepWatch::StepWatch(WatchRules rules) : rules_(rules), records_(looks().size()) {}

bool StepWatch::add(double value) {
  if (!std::isfinite(value))
    throw Error(ErrorKind::internal, "a night whose value is not finite was to be watched");
  levels_.values.push_back(value);
  const std::size_t nights = levels_.values.size();
  if (nights >= least_nights &&
      (known_.empty() || nights >= known_.back().nights() + learning_interval(nights)))
    learn(nights);
  moves_.add(levels_.values, levels_.starts.back(), known_.empty() ? 0 : known_.back().sd());
  if (nights < least_nights) return false;
  settle();
  std::optional<Found> found = best_look();
  if (!found) found = look_behind_two_nights();
  if (found) tell(*found);
  return found.has_value();
}

void StepWatch::boundary() {
  boundary_ = levels_.values.size();
  first_step_ = steps_.size();
  if (levels_.starts.back() < boundary_) levels_.starts.push_back(boundary_);
}

std::optional<StepNoise> StepWatch::noise() const {
  if (known_.empty()) return {};
  return known_now();
}

StepSize StepWatch::size_of(std::size_t which) const {
  const std::size_t at = steps_.at(which).place.at;
  const auto next = std::ranges::upper_bound(levels_.starts, at);
  const auto own = std::ranges::lower_bound(levels_.starts, at);
  std::size_t end = next == levels_.starts.end() ? levels_.values.size() : *next;
  if (steps_[which].faded) end = std::min(end, steps_[which].told);
  // By the noise of its time: what it is later does not change the size of an old step.
  constexpr std::size_t longest = 28;
  return size_step(levels_.values, own == levels_.starts.begin() ? 0 : *(own - 1), at, end,
                   known_before(std::min(end, at + longest)).whole(levels_, moves_));
}

StepSize StepWatch::size_between(std::size_t begin, std::size_t end) const {
  require(0 < begin && begin < end && end <= levels_.values.size(), "a change takes nights");
  constexpr std::size_t week = 7;
  const std::span<const double> values = levels_.values;
  const std::size_t before = std::min(begin, week), after = std::min(end - begin, week);
  const StepNoise& noise = known_before(end).whole(levels_, moves_);
  const auto of_weeks = std::ranges::find_if(
      looks(), [](const Look& look) { return look.after == week && look.before == week; });
  const auto look = static_cast<std::size_t>(of_weeks - looks().begin());
  const double error = noise.move_sd[look] * student_t_quantile(.975, noise.move_freedom[look]);
  StepSize size;
  size.before = clamped_mean(values.subspan(begin - before, before), noise.sd);
  size.after = clamped_mean(values.subspan(end - after, after), noise.sd);
  const double step = size.after - size.before;
  size.step = {step - error, step + error};
  return size;
}

bool StepWatch::has_moved(std::size_t span, std::size_t length, double deviations,
                          double least) const {
  require(length <= span && span <= levels_.values.size(),
          "a move is one of nights that are there");
  const std::size_t end = levels_.values.size(), begin = end - span;
  // Fewer nights than such a span know nothing of how means wander within one.
  KnownNoise& noise = known_before(std::max(begin, span));
  // Means that were clamped with another standard deviation are at most twice the difference away.
  const Moves::Mean now = moves_.mean(length, end), then = moves_.mean(length, begin + length);
  constexpr double rounding = 1e-9;
  const double most = std::abs(now.mean - then.mean) + 2 * std::abs(noise.sd() - now.sd) +
                      2 * std::abs(noise.sd() - then.sd) + rounding;
  if (most < least) return false;
  const auto same = std::ranges::find_if(
      looks(), [&](const Look& look) { return look.after == length && look.before == length; });
  require(same != looks().end(), "some look has such moves");
  const double needed =
      std::max(least, deviations * noise.move_sd(levels_, moves_,
                                                 static_cast<std::size_t>(same - looks().begin())));
  if (most < needed) return false;
  const std::span<const double> values = std::span(levels_.values).last(span);
  return std::abs(clamped_mean(values.last(length), noise.sd()) -
                  clamped_mean(values.first(length), noise.sd())) > needed;
}

std::optional<StepWatch::Found> StepWatch::best_look() {
  constexpr std::size_t few_nights = 60;
  constexpr double jointly = 1.2;  // times what is needed: the level's own nights vote on it
  const std::size_t nights = levels_.values.size();
  std::optional<Found> best;
  std::optional<KnownNoise> joint;
  std::size_t joint_seen = 0;
  for (std::size_t i = 0; i < looks().size(); ++i) {
    const Look& look = looks()[i];
    if (!(std::abs(moves_.move(i, nights - 1)) >= rules_.least_step)) continue;  // or there is none
    const double size = std::abs(moves_.backed(i, nights - 1));
    if (size < rules_.least_step) continue;
    const std::size_t first = nights - look.seen;
    KnownNoise& noise = known_before(first);
    // Few nights before the new level: its own tell of the noise as well.
    const bool may_join = look.is_seen_long() && first < few_nights;
    // Most moves are far from what is needed, which takes time to know.
    if (!may_join &&
        size <= std::max(look.deviations * noise.least_move_sd(look), look.nights * noise.sd()))
      continue;
    double need = needed(i, noise);
    if (may_join && size < need && size > need / 4) {
      if (joint_seen != look.seen) joint.emplace(levels_, moves_, nights, rules_.tick, first);
      joint_seen = look.seen;
      need = std::min(need, jointly * needed(i, *joint));
    }
    if (look.is_of_a_fortnight() && size < need)
      need = std::min(need, needed_of_a_fortnight(i, noise).value_or(need));
    if (size > need * (best ? best->score : 1) && !comes_by_chance(i)) best = {i, size / need};
  }
  return best;
}

/// No look has a level of two nights before it: whether the two nights behind such a one are back
/// at the level before, or as far from it as two nights need to be.
std::optional<StepWatch::Found> StepWatch::look_behind_two_nights() {
  constexpr std::size_t two = 2;
  constexpr double before_two = 1.1;  // times what is needed: two nights before tell less than
                                      // three
  const std::size_t nights = levels_.values.size(), start = levels_.starts.back();
  if (steps_.size() == first_step_ || nights != start + 2 * two) return {};
  const LevelStep& last = steps_.back();
  const std::span<const double> level = std::span(levels_.values).subspan(start, two),
                                tonight = std::span(levels_.values).last(two);
  const auto same = std::ranges::find_if(
      looks(), [](const Look& look) { return look.after == two && look.seen == two; });
  const auto look = static_cast<std::size_t>(same - looks().begin());
  const double there = (level[0] + level[1]) / two,
               move = std::abs((tonight[0] + tonight[1]) / two - there),
               half = std::abs(last.after - last.before) / 2;
  if (move < rules_.least_step || std::ranges::any_of(tonight, [&](double value) {
        return std::abs(value - there) <= move / 2;
      }))
    return {};
  if (std::ranges::all_of(tonight,
                          [&](double value) { return std::abs(value - last.before) < half; }))
    return Found{look, std::max(1.0, move / half)};
  const double need = before_two * needed(look, known_before(nights - two));
  if (move <= need) return {};
  return Found{look, move / need};
}

KnownNoise& StepWatch::known_before(std::size_t night) const {
  require(!known_.empty(), "noise is known from the fourth night on");
  const auto after = std::ranges::upper_bound(known_, night, {}, &KnownNoise::nights);
  return after == known_.begin() ? *after : *(after - 1);
}

/// What the move of a look that ends tonight has to be.
double StepWatch::needed(std::size_t i, KnownNoise& noise) {
  const Look& look = looks()[i];
  const std::size_t first = levels_.values.size() - look.seen;
  // About Student's t for 4.2 standard deviations.
  const double freedom = .65 * static_cast<double>(noise.differences());
  const double deviations =
      std::max(look.deviations, 4.2 * (1 + 5.3 / freedom + 36 / (freedom * freedom)));
  return std::max(
      {loudness(first, noise.sd()) *
           std::max(deviations * noise.move_sd(levels_, moves_, i), look.nights * noise.sd()),
       times_record * record_of(i, first), times_tick * std::max(noise.tick(), rules_.tick),
       rules_.least_step});
}

/// Likewise where a level lasts long enough to have shown how far apart its fortnights are.
/// Outliers and loud nights enlarge the standard deviation of moves more than they move a
/// fortnight.
std::optional<double> StepWatch::needed_of_a_fortnight(std::size_t i, const KnownNoise& noise) {
  constexpr std::size_t enough = 63;
  constexpr double times_range = 2.3, times_sd = 1.6;
  const Look& look = looks()[i];
  const std::size_t first = levels_.values.size() - look.seen, start = levels_.starts.back();
  if (first < start + enough) return {};
  const std::size_t from = std::max(start, first - std::min(first, noise_memory));
  return std::max(
      {std::sqrt(loudness(first, noise.sd())) *
           std::max(times_range * moves_.range(look.after, from, first), times_sd * noise.sd()),
       times_record * record_of(i, first), times_tick * std::max(noise.tick(), rules_.tick),
       rules_.least_step});
}

/// The largest move of this look before `first`: pairs of outliers and rare modes make them too.
double StepWatch::record_of(std::size_t i, std::size_t first) {
  Record& record = records_[i];
  for (; record.until < first; ++record.until) {
    if (!(std::abs(moves_.move(i, record.until)) > record.size)) continue;
    if (const double size = std::abs(moves_.backed(i, record.until)); size > record.size)
      record.size = size;
  }
  const std::size_t tonight = levels_.values.size() - 1, seen = looks()[i].seen;
  for (const Visit& visit : visits_)
    if (tonight - visit.night < noise_memory && seen <= std::min<std::size_t>(visit.length + 1, 3))
      record.size = std::max(record.size, visit.size);
  return record.size;
}

/// Whether single nights have been as far off as half of this move so often that as many in a row
/// come by chance more than once in a suite-month, of 250 series over 30 nights.
bool StepWatch::comes_by_chance(std::size_t i) const {
  constexpr double suite_month = 250 * 30;
  const std::size_t nights = levels_.values.size(), seen = looks()[i].seen, first = nights - seen,
                    from = first - std::min(first, noise_memory);
  const double share = share_of_lone(std::span(levels_.values).subspan(from, first - from),
                                     moves_.move(i, nights - 1) / 2);
  return std::pow(share, static_cast<double>(seen)) * suite_month > 1;
}

/// How much louder than usual the nights beside the first one of a new level are, at least 1.
double StepWatch::loudness(std::size_t first, double usual_sd) const {
  constexpr std::size_t before = 10, enough = 5;
  constexpr double usual = 1.2;
  std::vector<double> near = levels_.differences(
      1, std::max(levels_.starts.back(), first - std::min(first, before)), first);
  const std::vector<double> after = levels_.differences(1, first + 1, levels_.values.size());
  near.insert(near.end(), after.begin(), after.end());
  if (near.size() < enough) return 1;
  const double sd = capped_spread(std::move(near), least_sd) / std::sqrt(2.0);
  return std::max(1.0, sd / (usual * usual_sd));
}

/// Also after a step `at`: moves and knowledge across it are no noise.
void StepWatch::learn(std::size_t known_from, std::optional<std::size_t> at) {
  if (at) {
    moves_.forget_across(*at);
    while (!known_.empty() && known_.back().nights() > *at) known_.pop_back();
  }
  known_.emplace_back(levels_, moves_, known_from, rules_.tick);
  if (at) known_.back().whole(levels_, moves_);  // of nights that may be of another level yet
  const std::size_t nights = levels_.values.size();
  std::ranges::fill(records_, Record{0, nights - std::min(nights, noise_memory)});
}

/// A step is placed again when its level has 7 and 14 nights, unless it has faded by then.
void StepWatch::settle() {
  constexpr std::size_t once = 7, again = 14, farthest = 3;
  const std::size_t nights = levels_.values.size(), start = levels_.starts.back();
  if (steps_.size() == first_step_ || (nights - start != once && nights - start != again)) return;
  LevelStep& step = steps_.back();
  if (step.faded) return;
  if (has_faded(step)) {
    step.faded = true;
    step.undone = nights;
    visits_.push_back({nights - 1, stay_of(step), std::abs(step.after - step.before)});
    return;
  }
  const std::size_t before = levels_.starts[levels_.starts.size() - 2];
  const StepPlace place = place_step(levels_.values, before, start, nights, known_now());
  const std::size_t moved = place.at > step.first ? place.at - step.first : step.first - place.at;
  // A second step, which is not told yet. What was told lies before the night that told it.
  if (moved > farthest || place.at >= step.told) return;
  step.place = place;
  step.place.latest = std::min(place.latest, step.told - 1);
  if (place.at == start) return;
  for (KnownNoise& noise : known_)
    if (noise.nights() > start) noise.whole(levels_, moves_);
  levels_.starts.back() = place.at;
  learn(place.at + 1, place.at);
}

void StepWatch::tell(const Found& found) {
  constexpr std::size_t base = 30;
  const std::size_t nights = levels_.values.size(), start = levels_.starts.back();
  const std::span<const double> values = levels_.values;
  LevelStep step;
  step.told = nights;
  step.look = found.look;
  step.score = found.score;
  step.place = place_step(values, start, nights - looks()[found.look].seen, nights, known_now());
  step.first = step.place.at;
  const std::size_t begin = std::max(start, step.first - std::min(step.first, base));
  step.before = clamped_mean(values.subspan(begin, step.first - begin), known_.back().sd());
  step.after = clamped_mean(values.subspan(step.first), known_.back().sd());
  step.slope = slope_until(looks()[found.look]);
  step.mode = goes_to_and_fro(step);
  take_back(step);
  steps_.push_back(step);
  levels_.starts.push_back(step.first);
  learn(step.first + 1, step.first);
}

/// Where a slope that lasts until tonight begins, if one is what this look has seen.
std::optional<std::size_t> StepWatch::slope_until(const Look& look) const {
  constexpr std::size_t before = 28, shortest = 5;
  if (look.seen < shortest) return {};
  const std::size_t nights = levels_.values.size(), reach = std::min(nights, look.seen + before);
  const std::size_t begin = std::max(steady_from(), nights - reach);
  const auto slope = slope_of(std::span(levels_.values).subspan(begin), shortest);
  if (!slope) return {};
  return begin + slope->begin;
}

std::size_t StepWatch::steady_from() const {
  const auto last = std::ranges::find_if(steps_.rbegin(),
                                         steps_.rend() - static_cast<std::ptrdiff_t>(first_step_),
                                         [](const LevelStep& step) { return !step.slope; });
  return last == steps_.rend() - static_cast<std::ptrdiff_t>(first_step_) ? boundary_
                                                                          : last->place.at;
}

/// Whether three steps between the same two levels were told in this environment.
bool StepWatch::goes_to_and_fro(const LevelStep& step) const {
  constexpr std::ptrdiff_t times = 3;
  const double near = std::max(rules_.least_step / 2, std::abs(step.after - step.before) / 4);
  const auto close = [&](double a, double b) { return std::abs(a - b) < near; };
  const auto same = [&](const LevelStep& other) {
    return (close(other.before, step.before) && close(other.after, step.after)) ||
           (close(other.before, step.after) && close(other.after, step.before));
  };
  return std::count_if(steps_.begin() + static_cast<std::ptrdiff_t>(first_step_), steps_.end(),
                       same) >= times;
}

/// Whether the last week is on the whole as the nights before the step were, though no look has
/// told a step back.
bool StepWatch::has_faded(const LevelStep& step) const {
  constexpr std::size_t week = 7;
  const double size = std::abs(step.after - step.before),
               near = std::min(size / 2, std::max(size / 3, rules_.least_step));
  return std::abs(median(std::span(levels_.values).last(week)) - step.before) < near;
}

/// How many nights of the present level came before the first that was nearer to the one before it.
std::size_t StepWatch::stay_of(const LevelStep& step) const {
  const std::span<const double> level = std::span(levels_.values).subspan(levels_.starts.back());
  const auto back = std::ranges::find_if(level, [&](double value) {
    return std::abs(value - step.before) < std::abs(value - step.after);
  });
  return static_cast<std::size_t>(back - level.begin());
}

/// A step that soon goes back most of the way takes the last one back.
void StepWatch::take_back(LevelStep& step) {
  constexpr std::size_t soon = 14;
  if (steps_.size() == first_step_ || step.first > steps_.back().first + soon) return;
  LevelStep& last = steps_.back();
  const double size = std::abs(last.after - last.before);
  if (std::abs(step.after - last.before) >= size / 2) return;
  step.undoes = steps_.size() - 1;
  if (last.faded) return;
  last.undone = step.told;
  visits_.push_back({step.told - 1, step.first - last.first, size});
}

}  // namespace ridgeline::stats
