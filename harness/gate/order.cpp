#include "harness/gate/order.hpp"

#include "harness/base/text.hpp"
#include "harness/run/order.hpp"

namespace ridgeline::gate {
namespace {

// Draws of different purposes must not repeat one another.
enum class Purpose : std::uint64_t { order = 1, layout = 2, padding = 3 };

std::uint64_t draw(std::uint64_t seed, Purpose purpose, std::string_view name, int round) {
  const std::uint64_t state =
      fnv1a(name, seed ^ static_cast<std::uint64_t>(purpose) * 0x9e3779b97f4a7c15);
  // The last bit is always set.
  return run::replicate_seed(run::replicate_seed(state, 0), round) >> 1;
}

}  // namespace

std::string_view to_string(Side side) { return side == Side::baseline ? "baseline" : "candidate"; }

bool baseline_first(std::uint64_t seed, std::string_view case_name, int round) {
  return draw(seed, Purpose::order, case_name, round) % 2 == 0;
}

std::uint64_t layout_of(std::uint64_t seed, std::string_view case_name, int round, Side side) {
  return draw(seed, Purpose::layout, case_name, 2 * round + (side == Side::candidate ? 1 : 0)) + 1;
}

std::size_t padding_of(std::uint64_t seed, int round, Side side) {
  return draw(seed, Purpose::padding, "", 2 * round + (side == Side::candidate ? 1 : 0)) % 4096;
}

}  // namespace ridgeline::gate
