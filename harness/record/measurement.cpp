#include "harness/record/measurement.hpp"

#include "harness/base/names.hpp"

namespace ridgeline::record {
namespace {

constexpr Name<Direction> directions[] = {
    {Direction::lower, "lower"},
    {Direction::higher, "higher"},
    {Direction::none, "none"},
};

}  // namespace

std::string_view to_string(Direction direction) { return name_of(directions, direction); }
std::optional<Direction> parse_direction(std::string_view text) { return value_of(directions, text); }

}  // namespace ridgeline::record
