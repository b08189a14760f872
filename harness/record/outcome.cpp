#include "harness/record/outcome.hpp"

#include <array>
#include <utility>

namespace ridgeline::record {
namespace {

constexpr std::array<std::pair<Outcome, std::string_view>, 9> names{
    {{Outcome::ok, "ok"},
     {Outcome::counted, "counted"},
     {Outcome::unstable, "unstable"},
     {Outcome::invalid_environment, "invalid_environment"},
     {Outcome::wrong_result, "wrong_result"},
     {Outcome::unsupported, "unsupported"},
     {Outcome::unavailable, "unavailable"},
     {Outcome::crashed, "crashed"},
     {Outcome::timeout, "timeout"}}};

}  // namespace

std::string_view to_string(Outcome outcome) {
  for (const auto& [value, text] : names)
    if (value == outcome) return text;
  return "crashed";
}

std::optional<Outcome> parse_outcome(std::string_view text) {
  for (const auto& [value, name] : names)
    if (name == text) return value;
  return std::nullopt;
}

}  // namespace ridgeline::record
