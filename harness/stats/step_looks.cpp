#include "harness/stats/step_looks.hpp"

#include <algorithm>
#include <cmath>

#include "harness/stats/series_noise.hpp"

namespace ridgeline::stats {
namespace {

constexpr std::size_t week = 7;

/// Brings `ascending`, the last `size` values or all before the last one, up to date.
void slide(std::vector<double>& ascending, std::span<const double> values, std::size_t size) {
  const auto in = std::ranges::upper_bound(ascending, values.back());
  if (values.size() <= size) {
    ascending.insert(in, values.back());
    return;
  }
  const auto out = std::ranges::lower_bound(ascending, values[values.size() - 1 - size]);
  if (out < in) {
    std::move(out + 1, in, out);
    *(in - 1) = values.back();
  } else {
    std::move_backward(in, out, out + 1);
    *in = values.back();
  }
}

}  // namespace

std::span<const Look> looks() {
  // Bases of weeks cancel what happens every week. Two nights against three are what wander leaves
  // visible, and later looks at them need less, as the level has lasted.
  static constexpr Look all[] = {
      {2, 3, 2, 11, 13},    {2, 3, 5, 6.3, 0},    {2, 3, 7, 5.04, 0},  {2, 3, 14, 5.04, 0},
      {2, 7, 2, 11, 13},    {2, 14, 2, 11, 13},   {2, 28, 2, 11, 13},  {3, 7, 3, 7.5, 7},
      {3, 14, 3, 7.5, 7},   {3, 28, 3, 7.5, 7},   {5, 7, 5, 6, 0},     {5, 14, 5, 6, 0},
      {5, 28, 5, 6, 0},     {7, 7, 7, 4.8, 0},    {7, 14, 7, 4.8, 0},  {7, 28, 7, 4.8, 0},
      {14, 14, 14, 4.8, 0}, {14, 28, 14, 4.8, 0}, {28, 28, 28, 6.5, 0}};
  return all;
}

Moves::Moves() {
  for (const Look& look : looks())
    for (const std::size_t size : {look.after, look.before, look.seen})
      if (std::ranges::find(windows_, size, &Windows::size) == windows_.end())
        windows_.push_back({size, {}, {}});
  for (const Look& look : looks())
    places_.push_back({place_of(look.after), place_of(look.before), place_of(look.seen)});
  weeks_ = place_of(week);
}

std::size_t Moves::place_of(std::size_t size) const {
  return static_cast<std::size_t>(std::ranges::find(windows_, size, &Windows::size) -
                                  windows_.begin());
}

Moves::Mean Moves::mean(std::size_t size, std::size_t end) const {
  return {windows_.at(place_of(size)).by_night[end - 1].mean, sds_[end - 1]};
}

double Moves::range(std::size_t size, std::size_t from, std::size_t to) const {
  const std::span<const Window> windows = windows_.at(place_of(size)).by_night;
  const auto [lowest, highest] = std::ranges::minmax(
      windows.subspan(from + size - 1, to - (from + size - 1)), {}, &Window::mean);
  return highest.mean - lowest.mean;
}

void Moves::add(std::span<const double> values, std::size_t level_start, double sd) {
  const std::size_t tonight = values.size() - 1;
  sds_.push_back(sd);
  level_starts_.push_back(level_start);
  for (auto& [size, ascending, by_night] : windows_) {
    slide(ascending, values, size);
    Window& now = by_night.emplace_back();
    if (values.size() < size) continue;
    const std::size_t off = size / 6, base_off = size / 4;
    now = {clamped_mean_of_sorted(ascending, sd), ascending[off], ascending[size - 1 - off],
           ascending[base_off], ascending[size - 1 - base_off]};
  }
  moves_.resize(moves_.size() + places_.size(), no_move);
  const std::span<double> tonights = std::span(moves_).last(places_.size());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Look& look = looks()[i];
    if (tonight + 1 < level_start + look.before + look.seen) continue;
    const std::size_t last = tonight - look.seen;  // of the nights before the new level
    tonights[i] = windows_[places_[i].after].by_night[last + look.after].mean -
                  windows_[places_[i].before].by_night[last].mean;
  }
}

double Moves::backed(std::size_t which, std::size_t night) const {
  const double move = this->move(which, night);
  if (std::isnan(move)) return no_move;
  const Look& look = looks()[which];
  const std::size_t last = night - look.seen;
  const std::vector<Window>& weeks = windows_[weeks_].by_night;
  const Window& before = windows_[places_[which].before].by_night[last];
  const Window& after = windows_[places_[which].seen].by_night[night];
  const bool has_week = last + 1 >= level_starts_[night] + week;
  const Window& agreeing = look.before < week && has_week ? weeks[last] : before;
  // A slope has little of a long move in its middle: there a step has all of it.
  const double middle = look.is_long() ? (weeks[last + week].mean - weeks[last].mean) / .8 : move;
  const double times = look.is_long() ? 3 : 2, level = before.mean + move;
  if (move > 0)
    return std::max(0.0, std::min({move, middle, times * (after.low - before.mean),
                                   times * (level - agreeing.base_high)}));
  return -std::max(0.0, std::min({-move, -middle, times * (before.mean - after.high),
                                  times * (agreeing.base_low - level)}));
}

void Moves::forget_across(std::size_t at) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const std::size_t end = std::min(nights(), at + looks()[i].seen + looks()[i].before - 1);
    for (std::size_t night = at; night < end; ++night) moves_[night * places_.size() + i] = no_move;
  }
}

}  // namespace ridgeline::stats
