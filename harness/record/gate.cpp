#include "harness/record/gate.hpp"

#include <array>
#include <utility>

namespace ridgeline::record {
namespace {

constexpr std::array<std::pair<Verdict, std::string_view>, 12> names{
    {{Verdict::regression, "regression"},
     {Verdict::wrong_result, "wrong_result"},
     {Verdict::crashed, "crashed"},
     {Verdict::timeout, "timeout"},
     {Verdict::missing, "missing"},
     {Verdict::invalid_environment, "invalid_environment"},
     {Verdict::undecided, "undecided"},
     {Verdict::no_baseline, "no_baseline"},
     {Verdict::improvement, "improvement"},
     {Verdict::new_case, "new"},
     {Verdict::pass, "pass"},
     {Verdict::skipped, "skipped"}}};

}  // namespace

std::string_view to_string(Verdict verdict) {
  for (const auto& [value, text] : names)
    if (value == verdict) return text;
  return "undecided";
}

std::optional<Verdict> parse_verdict(std::string_view text) {
  for (const auto& [value, name] : names)
    if (name == text) return value;
  return std::nullopt;
}

}  // namespace ridgeline::record
