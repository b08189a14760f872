#include "harness/record/measurement.hpp"

namespace ridgeline::record {

std::string_view to_string(Direction direction) {
  switch (direction) {
    case Direction::lower:
      return "lower";
    case Direction::higher:
      return "higher";
    case Direction::none:
      break;
  }
  return "none";
}

std::optional<Direction> parse_direction(std::string_view text) {
  for (Direction direction : {Direction::lower, Direction::higher, Direction::none})
    if (to_string(direction) == text) return direction;
  return std::nullopt;
}

}  // namespace ridgeline::record
