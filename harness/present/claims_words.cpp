#include "harness/present/claims_words.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/comparison.hpp"

namespace ridgeline::present {
namespace {

using analysis::ClaimVerdict;

bool is_per_byte(const analysis::Check& check) {
  return check.quantity == analysis::Quantity::ridge ||
         check.quantity == analysis::Quantity::intensity;
}

std::string border_words(const analysis::Check& check) {
  const bool share = check.quantity == analysis::Quantity::share;
  const auto number = [&](double value) {
    return fmt::format("{:g}", share ? 100 * value : value);
  };
  const std::string unit = share ? "%" : is_per_byte(check) ? " FLOP/B" : "";
  const auto& [at_least, at_most, about, within] = check.border;
  if (about) return fmt::format("about {}{}, within {:g}%", number(*about), unit, 100 * within);
  if (at_least && at_most)
    return fmt::format("{} to {}{}", number(*at_least), number(*at_most), unit);
  if (at_least) return fmt::format("at least {}{}", number(*at_least), unit);
  return at_most ? fmt::format("at most {}{}", number(*at_most), unit) : "";
}

std::string measured_words(const JudgedCheck& judged) {
  const analysis::Measured& found = judged.measured;
  if (!found.value) return "";
  const bool share = judged.check.quantity == analysis::Quantity::share;
  std::string text = share                       ? units::percent(*found.value)
                     : is_per_byte(judged.check) ? fmt::format("{:.4g} FLOP/B", *found.value)
                                                 : short_ratio(*found.value);
  if (found.interval)
    text += share ? fmt::format(" ({} to {})", units::percent(found.interval->low),
                                units::percent(found.interval->high))
                  : fmt::format(" ({})", ratio_range(*found.interval));
  return text + (found.against.empty() ? "" : " of " + printable(found.against));
}

std::string verdict_words(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::holds:
      return "holds";
    case ClaimVerdict::does_not_hold:
      return "does not hold";
    case ClaimVerdict::holds_only_when:
      return "holds only when";
    case ClaimVerdict::holds_where_told:
      return "holds where it can be told";
    case ClaimVerdict::cannot_be_told:
      return "cannot be told";
    case ClaimVerdict::not_measured:
      break;
  }
  return "not measured here";
}

/// The circumstances of the checks with this verdict: "when it has 16 tokens, and when it has 128".
std::string whens_of(const JudgedClaim& claim, ClaimVerdict verdict) {
  std::vector<std::string> whens;
  for (const JudgedCheck& one : claim.checks)
    if (one.verdict == verdict) whens.push_back("when " + printable(one.check.when));
  return fmt::format("{}", fmt::join(whens, ", and "));
}

}  // namespace

ClaimWords words_of(const JudgedCheck& judged) {
  ClaimWords words{printable(judged.check.when, 1000), measured_words(judged),
                   judged.check.missing.empty() ? border_words(judged.check) : "",
                   verdict_words(judged.verdict), judged.command};
  if (judged.verdict == ClaimVerdict::not_measured && !judged.why.empty())
    words.verdict += ": " + printable(judged.why, 1000);
  if (judged.verdict == ClaimVerdict::cannot_be_told)
    words.verdict += judged.measured.interval
                         ? ": the interval contains the border"
                         : ": fewer than three processes, so there is no interval";
  return words;
}

std::string words_of(const JudgedClaim& claim) {
  if (claim.verdict == ClaimVerdict::holds_only_when)
    return "holds only " + whens_of(claim, ClaimVerdict::holds);
  if (claim.verdict != ClaimVerdict::holds_where_told) return verdict_words(claim.verdict);
  const std::int64_t untold = std::ranges::count_if(
      claim.checks, [](const JudgedCheck& one) { return one.verdict != ClaimVerdict::holds; });
  return fmt::format("holds {}; {} cannot be told yet", whens_of(claim, ClaimVerdict::holds),
                     units::plural(untold, "other circumstance"));
}

std::string short_words(ClaimVerdict verdict, int count) {
  std::string hold = count == 1 ? "holds" : "hold";
  switch (verdict) {
    case ClaimVerdict::holds:
      return hold;
    case ClaimVerdict::does_not_hold:
      return count == 1 ? "does not hold" : "do not hold";
    case ClaimVerdict::holds_only_when:
      return hold + " in some circumstances only";
    case ClaimVerdict::holds_where_told:
      return hold + " in the circumstances that can be told";
    case ClaimVerdict::cannot_be_told:
      return "cannot be told";
    case ClaimVerdict::not_measured:
      break;
  }
  return "not measured here";
}

std::string claims_counted(const ClaimsOfDevice& of) {
  std::map<ClaimVerdict, int> counts;
  for (const JudgedClaim& claim : of.claims) ++counts[claim.verdict];
  std::vector<std::string> told;
  for (const auto& [verdict, count] : counts)
    told.push_back(fmt::format("{} {}", count, short_words(verdict, count)));
  return fmt::format("{}: {}.", units::plural(std::ssize(of.claims), "claim"),
                     fmt::join(told, ", "));
}

std::set<std::string> runs_taken(const ClaimsOfDevice& of) {
  std::set<std::string> runs;
  for (const JudgedClaim& claim : of.claims)
    for (const JudgedCheck& check : claim.checks)
      for (const std::string& run : {check.run, check.over_run})
        if (check.measured.value && !run.empty()) runs.insert(printable(run));
  return runs;
}

}  // namespace ridgeline::present
