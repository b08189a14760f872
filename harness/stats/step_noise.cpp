#include "harness/stats/step_noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/stats/series_noise.hpp"

namespace ridgeline::stats {
namespace {

double squared(double x) { return x * x; }

/// move_variance of each look, from a table in hundredths of phi.
double look_variance(std::size_t look, double phi) {
  static const std::vector<std::array<double, 101>> table = [] {
    std::vector<std::array<double, 101>> made(looks().size());
    for (std::size_t i = 0; i < made.size(); ++i)
      for (std::size_t j = 0; j <= 100; ++j)
        made[i][j] =
            move_variance(looks()[i].after, looks()[i].before, static_cast<double>(j) / 100);
    return made;
  }();
  const auto below = std::min<std::size_t>(99, static_cast<std::size_t>(100 * phi));
  const double part = 100 * phi - static_cast<double>(below);
  return table[look][below] + part * (table[look][below + 1] - table[look][below]);
}

/// The first of the looks with the same moves.
std::size_t first_alike(std::size_t look) {
  const std::span<const Look> all = looks();
  while (look > 0 && all[look - 1].after == all[look].after &&
         all[look - 1].before == all[look].before)
    --look;
  return look;
}

}  // namespace

std::vector<double> Levels::differences(std::size_t lag, std::size_t from, std::size_t to,
                                        std::optional<std::size_t> split) const {
  std::vector<double> found;
  found.reserve(to - std::min(to, std::max(from, lag)));
  std::size_t level = starts.size() - 1;
  for (std::size_t night = to; night-- > std::max(from, lag);) {
    while (level > 0 && starts[level] > night) --level;
    const std::size_t earlier = night - lag;
    if (earlier < starts[level] || (split && earlier < *split && *split <= night)) continue;
    found.push_back(values[night] - values[earlier]);
  }
  return found;
}

KnownNoise::KnownNoise(const Levels& levels, const Moves& moves, std::size_t known_from,
                       double tick, std::optional<std::size_t> split)
    : seen_(levels.values.size()), moved_(moves.nights()), split_(split) {
  std::vector<double> neighbours = differences(levels, 1);
  for (double& one : neighbours) one = std::abs(one);
  noise_.nights = known_from;
  noise_.differences = std::max<std::size_t>(neighbours.size(), 1);
  noise_.tick = std::max(tick, visible_tick(neighbours));
  // Rounding is noise, which robust spreads do not see while most nights repeat the one before.
  v1_ =
      std::max(squared(capped_spread(std::move(neighbours), least_sd)), .18 * squared(noise_.tick));
  noise_.sd = std::sqrt(v1_ / 2);
}

std::vector<double> KnownNoise::differences(const Levels& levels, std::size_t lag) const {
  return levels.differences(lag, seen_ - std::min(seen_, noise_memory), seen_, split_);
}

double KnownNoise::least_move_sd(const Look& look) const {
  if (look.after % 7 == 0 && look.before % 7 == 0) return 0;  // it may be weekly
  constexpr double rounding = 1 - 1e-9;
  // Of white noise: where a night keeps something of the one before, moves are larger.
  return rounding * noise_.sd *
         std::sqrt(1 / static_cast<double>(look.after) + 1 / static_cast<double>(look.before));
}

double KnownNoise::move_sd(const Levels& levels, const Moves& moves, std::size_t look) {
  const std::size_t first = first_alike(look);
  if (noise_.move_sd.empty() || noise_.move_sd[first] == 0) learn_moves(levels, moves, first);
  return noise_.move_sd[first];
}

const StepNoise& KnownNoise::whole(const Levels& levels, const Moves& moves) {
  for (std::size_t i = 0; i < looks().size(); ++i) {
    noise_.move_sd[i] = move_sd(levels, moves, i);
    noise_.move_freedom[i] = noise_.move_freedom[first_alike(i)];
  }
  return noise_;
}

void KnownNoise::learn_model(const Levels& levels) {
  const auto v = [&](std::size_t lag) {
    return squared(capped_spread(differences(levels, lag), least_sd));
  };
  const double v2 = v(2);
  const std::vector<double> weeks = differences(levels, 7);
  const auto many = static_cast<double>(noise_.differences);
  noise_.phi = carried_over(v1_, v2, v(4));
  Model& model = model_.emplace();
  model.feared_phi = std::min(1.0, noise_.phi + .5 / std::sqrt(many) + 150 / squared(many));
  model.v7 = squared(capped_spread(weeks, least_sd));
  model.weekly = weeks.size() >= 35 && model.v7 < .7 * v2;
  noise_.move_sd.resize(looks().size());
  noise_.move_freedom.resize(looks().size());
}

/// The standard deviation of the moves of a look: what was seen of them and what the model has, by
/// how many independent moves were seen.
void KnownNoise::learn_moves(const Levels& levels, const Moves& moves, std::size_t i) {
  constexpr double model_worth = 2.5;  // independent moves
  // Some of every noise may be a random walk that few nights cannot show.
  constexpr double wander = .002;
  if (!model_) learn_model(levels);
  const Look& look = looks()[i];
  double plain = v1_ * look_variance(i, noise_.phi),
         feared = v1_ * (look_variance(i, model_->feared_phi) + wander * look_variance(i, 1));
  if (model_->weekly && look.after % 7 == 0 && look.before % 7 == 0) {
    plain = .75 * model_->v7 * look_variance(i, 0);
    feared = 2 * plain;
  }
  // One of so many nights that neighbours share little.
  const std::size_t stride = (look.after + 2) / 3, reach = look.seen + look.before - 1;
  const std::size_t from = seen_ - std::min(seen_, noise_memory);
  std::vector<double> past;
  for (std::size_t end = seen_; end > from; end -= std::min(end, stride)) {
    const std::size_t night = end - 1;
    if (night >= moved_ || std::isnan(moves.move(i, night))) continue;
    if (split_ && *split_ <= night && night < *split_ + reach) continue;
    past.push_back(moves.move(i, night));
  }
  const double independent =
      static_cast<double>(2 * stride * past.size()) / static_cast<double>(look.after + look.before);
  const double seen = past.empty() ? 0 : squared(capped_spread(std::move(past), least_sd / 4));
  const double variance =
      std::max(plain, (independent * seen + model_worth * feared) / (independent + model_worth));
  // Where a night keeps much of the one before, long moves vary more than so few of them tell.
  const double slow = look.is_long() ? 1 + .8 * squared(squared(noise_.phi)) : 1;
  noise_.move_sd[i] = slow * std::sqrt(variance);
  noise_.move_freedom[i] = independent + model_worth;
}

}  // namespace ridgeline::stats
