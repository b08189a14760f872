#include "harness/measure/judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "harness/measure/right_output.hpp"
#include "harness/measure/stopwatch.hpp"

namespace ridgeline::measure {
namespace {

/// Of a right result before timing and whatever came after, the one to be kept, with the lesser of
/// what was compared. A NaN after is never below.
record::Verification worse(const record::Verification& before, const record::Verification& after) {
  record::Verification kept = before.error > after.error ? before : after;
  kept.checked = std::min(before.checked, after.checked);
  return kept;
}

std::string difference(const record::Verification& verification, const char* when) {
  if (std::isnan(verification.error))
    return fmt::format("{} timing the output was not written, or holds values that are not numbers",
                       when);
  return fmt::format(
      "{} timing the output differed from the oracle's: error {:.3g}, tolerance {:.3g}", when,
      verification.error, verification.tolerance);
}

}  // namespace

void Judge::execute(Turn turn) {
  const AddWallTime timer(measurement_.verify_ns);
  workload_.poison(turn.output);
  setup_.device.synchronize();
  const Stopwatch wall;
  workload_.launch(turn, setup_.device.stream());
  setup_.device.synchronize();
  alone_ns_ = setup_.group.max(wall.ns());
}

void Judge::compare(Turn turn, const char* when) {
  const AddWallTime timer(measurement_.verify_ns);
  record::Verification verification = found(turn);
  if (setup_.group.size() > 1 && setup_.group.max(verification.right() ? 0.0 : 1.0) > 0 &&
      verification.right())
    verification.error = std::numeric_limits<double>::infinity();
  if (!verification.right() && right_so_far()) {
    measurement_.outcome = record::Outcome::wrong_result;
    measurement_.reason = difference(verification, when);
    if (workload_.what_is_wrong) measurement_.reason += ": " + workload_.what_is_wrong(turn);
    if (workload_.distrust)
      if (const std::string more = workload_.distrust->finding(); !more.empty())
        measurement_.reason += "; " + more;
  }
  measurement_.verification =
      measurement_.verification ? worse(*measurement_.verification, verification) : verification;
}

void Judge::compare_all(const std::vector<Turn>& turns, const char* when) {
  for (const Turn& each : turns)
    if (right_so_far()) compare(each, when);
}

/// The first output of a process goes before the oracle in any case.
record::Verification Judge::found(Turn turn) {
  std::optional<RightOutput> known = known_output(turn);
  if (known && measurement_.verification)
    if (const auto before = known->found()) return *before;
  const record::Verification verification = workload_.verify(turn);
  if (known) known->keep(verification);
  return verification;
}

/// None where outputs are not known again.
std::optional<RightOutput> Judge::known_output(Turn turn) {
  // The oracle reads a sample of a longer one, which takes less time than to read all of it.
  constexpr std::size_t most_bytes = std::size_t{32} << 20;
  const bool on_cpu = setup_.device.facts().kind == device::Kind::cpu;
  if (options_.kept == nullptr || !on_cpu || !workload_.bits || !workload_.inputs_key)
    return std::nullopt;
  const std::span<const std::byte> bits = workload_.bits(turn.output);
  if (bits.size() > most_bytes) return std::nullopt;
  return RightOutput(
      *options_.kept,
      fmt::format("{} {} {} {}", options_.case_name, setup_.seed,
                  static_cast<int>(setup_.distribution), workload_.inputs_key(turn.inputs)),
      bits);
}

void Judge::convict(const std::string& finding) {
  if (finding.empty() || !right_so_far()) return;
  measurement_.outcome = record::Outcome::wrong_result;
  measurement_.reason = finding;
}

void Judge::look_for_damage() {
  const AddWallTime timer(measurement_.verify_ns);
  if (workload_.distrust && right_so_far()) convict(workload_.distrust->damage());
}

}  // namespace ridgeline::measure
