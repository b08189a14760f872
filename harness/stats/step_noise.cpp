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

/// Past moves of `look`, one of so many nights that neighbours share little.
std::vector<double> past_moves(const Levels& levels, const Moves& moves, std::size_t look,
                               std::size_t from, std::size_t stride,
                               std::optional<std::size_t> split) {
  const std::size_t reach = looks()[look].seen + looks()[look].before - 1;
  const std::size_t nights = moves.nights();
  std::vector<double> past;
  for (std::size_t end = levels.values.size(); end > from; end -= std::min(end, stride)) {
    const std::size_t night = end - 1;
    if (night >= nights || std::isnan(moves.move(look, night))) continue;
    if (split && *split <= night && night < *split + reach) continue;
    past.push_back(moves.move(look, night));
  }
  return past;
}

/// Variances of nights apart, and what a model makes of them.
struct Model {
  double v1, v7, phi;
  double feared_phi;  // what phi may be in truth, after so few nights
  bool weekly;        // what happens every week is most of the noise

  /// Of a look's moves: as the model has it, and as it is feared to be.
  std::pair<double, double> variances(std::size_t i) const {
    const Look& look = looks()[i];
    if (weekly && look.after % 7 == 0 && look.before % 7 == 0) {
      const double plain = .75 * v7 * look_variance(i, 0);
      return {plain, 2 * plain};
    }
    // Some of every noise may be a random walk that few nights cannot show.
    constexpr double wander = .002;
    return {v1 * look_variance(i, phi),
            v1 * (look_variance(i, feared_phi) + wander * look_variance(i, 1))};
  }
};

/// The standard deviation of the moves of a look: what was seen of them and what the model has, by
/// how many independent moves were seen.
struct Yardstick {
  double sd, freedom;
};
Yardstick yardstick(const Model& model, std::size_t i, const std::vector<double>& past,
                    std::size_t stride) {
  constexpr double model_worth = 2.5;  // independent moves
  const Look& look = looks()[i];
  const auto [plain, feared] = model.variances(i);
  const double independent =
      static_cast<double>(2 * stride * past.size()) / static_cast<double>(look.after + look.before);
  const double seen = past.empty() ? 0 : squared(capped_spread(past, least_sd / 4));
  const double variance =
      std::max(plain, (independent * seen + model_worth * feared) / (independent + model_worth));
  // Where a night keeps much of the one before, long moves vary more than so few of them tell.
  const double slow = look.is_long() ? 1 + .8 * squared(squared(model.phi)) : 1;
  return {slow * std::sqrt(variance), independent + model_worth};
}

}  // namespace

std::vector<double> Levels::differences(std::size_t lag, std::size_t from, std::size_t to,
                                        std::optional<std::size_t> split) const {
  std::vector<double> found;
  std::size_t level = starts.size() - 1;
  for (std::size_t night = to; night-- > std::max(from, lag);) {
    while (level > 0 && starts[level] > night) --level;
    const std::size_t earlier = night - lag;
    if (earlier < starts[level] || (split && earlier < *split && *split <= night)) continue;
    found.push_back(values[night] - values[earlier]);
  }
  return found;
}

StepNoise learn_noise(const Levels& levels, const Moves& moves, std::size_t known_from, double tick,
                      std::optional<std::size_t> split) {
  const std::size_t nights = levels.values.size(), from = nights - std::min(nights, noise_memory);
  const auto v = [&](std::size_t lag) {
    return squared(capped_spread(levels.differences(lag, from, nights, split), least_sd));
  };
  std::vector<double> neighbours = levels.differences(1, from, nights, split);
  for (double& one : neighbours) one = std::abs(one);
  const std::vector<double> weeks = levels.differences(7, from, nights, split);

  StepNoise noise;
  noise.nights = known_from;
  noise.differences = std::max<std::size_t>(neighbours.size(), 1);
  noise.tick = tick > 0 ? tick : visible_tick(neighbours);
  Model model{};
  // Rounding is noise, which robust spreads do not see while most nights repeat the one before.
  model.v1 =
      std::max(squared(capped_spread(std::move(neighbours), least_sd)), .18 * squared(noise.tick));
  const double v2 = v(2);
  model.v7 = squared(capped_spread(weeks, least_sd));
  model.weekly = weeks.size() >= 35 && model.v7 < .7 * v2;
  model.phi = noise.phi = carried_over(model.v1, v2, v(4));
  const auto many = static_cast<double>(noise.differences);
  model.feared_phi = std::min(1.0, noise.phi + .5 / std::sqrt(many) + 150 / squared(many));
  noise.sd = std::sqrt(model.v1 / 2);
  for (std::size_t i = 0; i < looks().size(); ++i) {
    const Look& look = looks()[i];
    if (i > 0 && looks()[i - 1].after == look.after && looks()[i - 1].before == look.before) {
      noise.move_sd.push_back(noise.move_sd.back());
      noise.move_freedom.push_back(noise.move_freedom.back());
      continue;
    }
    const std::size_t stride = (look.after + 2) / 3;
    const auto [sd, freedom] =
        yardstick(model, i, past_moves(levels, moves, i, from, stride, split), stride);
    noise.move_sd.push_back(sd);
    noise.move_freedom.push_back(freedom);
  }
  return noise;
}

}  // namespace ridgeline::stats
