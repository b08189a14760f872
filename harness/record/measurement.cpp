#include "harness/record/measurement.hpp"

namespace ridgeline::record {
namespace {

constexpr Name<Direction> directions[] = {
    {Direction::lower, "lower"},
    {Direction::higher, "higher"},
    {Direction::none, "none"},
};

}  // namespace

std::string_view to_string(Direction direction) { return name_of(direction); }
std::span<const Name<Direction>> names(Direction) { return directions; }

}  // namespace ridgeline::record
