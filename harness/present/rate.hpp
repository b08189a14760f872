#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/analysis/bound.hpp"
#include "harness/analysis/summary.hpp"
#include "harness/base/units.hpp"

namespace ridgeline::present {

using analysis::metric;

enum class Quantity { time, byte_rate, flop_rate };
std::string_view unit(Quantity quantity);  // "ns", "B/s" or "FLOP/s"

/// What a case reaches at its median.
struct Rate {
  double value = 0;
  Quantity quantity = Quantity::flop_rate;
  std::string_view suffix{};  // " bus"
};

/// In the terms of the roof that the case measures or that binds it; without one, of its work, or
/// of the bytes it must move. A collective reports its bandwidth itself: bus bandwidth, which
/// compares across numbers of ranks, else the algorithm's.
std::optional<Rate> rate(const analysis::CaseSummary& summary);

/// In the unit that suits it best: "2.00 GB/s bus".
std::string text(const Rate& rate);

/// The units that cases share in each column, as the values in the middle have them.
struct SharedUnits {
  explicit SharedUnits(const std::vector<const analysis::CaseSummary*>& cases);

  std::string text(const Rate& rate) const;

  units::Unit time;
  std::map<Quantity, units::Unit> rates;
};

}  // namespace ridgeline::present
