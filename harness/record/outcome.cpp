#include "harness/record/outcome.hpp"

namespace ridgeline::record {
namespace {

constexpr Name<Outcome> outcomes[] = {
    {Outcome::ok, "ok"},
    {Outcome::counted, "counted"},
    {Outcome::unstable, "unstable"},
    {Outcome::invalid_environment, "invalid_environment"},
    {Outcome::wrong_result, "wrong_result"},
    {Outcome::unsupported, "unsupported"},
    {Outcome::unavailable, "unavailable"},
    {Outcome::not_measured, "not_measured"},
    {Outcome::crashed, "crashed"},
    {Outcome::timeout, "timeout"},
};

}  // namespace

std::string_view to_string(Outcome outcome) { return name_of(outcome); }
std::span<const Name<Outcome>> names(Outcome) { return outcomes; }

}  // namespace ridgeline::record
