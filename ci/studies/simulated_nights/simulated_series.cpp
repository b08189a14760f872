#include "ci/studies/simulated_nights/simulated_series.hpp"

#include <random>
#include <string_view>

#include <fmt/core.h>

namespace ridgeline::analysis::trend_study {

Series draw(std::size_t which, Drawn drawn, std::size_t nights, std::size_t quiet_from) {
  std::seed_seq seed{drawn.table, static_cast<std::uint64_t>(which), drawn.series};
  zoo::Random random(seed);
  Series made;
  do {
    made = {zoo::Nights(nights), {}};
    zoo::kinds()[which].draw(made.nights, random, made.shifts);
  } while (!made.shifts.empty() && made.shifts.back() >= quiet_from);
  for (double& night : made.nights) night *= sd;
  return made;
}

std::string Row::name() const {
  return fmt::format("{}{}", kind->name, tick > 0 ? ", tick known" : "");
}

std::vector<Row> rows(const std::string& only) {
  std::vector<Row> all;
  for (std::size_t i = 0; i < zoo::kinds().size(); ++i) {
    const zoo::Kind& kind = zoo::kinds()[i];
    if (std::string_view(kind.name).find(only) == std::string_view::npos) continue;
    all.push_back({&kind, i, 0});
    if (kind.tick > 0) all.push_back({&kind, i, kind.tick * sd});
  }
  return all;
}

std::size_t apart(std::size_t a, std::size_t b) { return a > b ? a - b : b - a; }

std::string share(std::int64_t part, std::int64_t all) {
  if (all == 0) return "-";
  return fmt::format("{:.1f}", 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

std::string rate(std::int64_t events, double months) {
  return fmt::format("{:.2f} ({})", static_cast<double>(events) / months, events);
}

}  // namespace ridgeline::analysis::trend_study
