#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/summary.hpp"
#include "harness/base/units.hpp"
#include "harness/present/comparison.hpp"

namespace ridgeline::present {
namespace {

using analysis::Cause;
using analysis::ComparedCase;

/// "geometric means of B over A: 0.712 (0.706 to 0.718; roofs alone 0.655) over 12 cases of gemm,
/// and 2 more suites"
std::string means(std::vector<analysis::ComparedSuite> suites) {
  constexpr std::size_t most = 3;
  if (suites.empty()) return "no suite has a mean";
  std::ranges::stable_sort(suites, std::ranges::greater{}, &analysis::ComparedSuite::cases);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(most, suites.size()); ++i) {
    const Cells row = row_of(suites[i]);
    const std::string roofs =
        suites[i].roofs_cases < suites[i].cases
            ? ""
            : fmt::format("; roofs alone {}", short_ratio(*suites[i].roofs_ratio));
    parts.push_back(fmt::format("{} ({}{}) over {} of {}", row[2],
                                suites[i].interval ? row[3] : "no interval", roofs,
                                units::plural(suites[i].cases, "case"), row[0]));
  }
  return fmt::format(
      "geometric means of B over A: {}{}", fmt::join(parts, ", "),
      suites.size() <= most ? "" : ", and " + units::plural(suites.size() - most, "more suite"));
}

/// How many ratios the hardware explains, and what the rest of the others is.
std::string explained(const std::vector<ComparedCase>& cases) {
  std::map<Cause, std::size_t> found{{Cause::hardware, 0}};
  std::size_t equal = 0;
  for (const ComparedCase& one : cases)
    if (one.cause) ++(one.cause == Cause::none ? equal : found[*one.cause]);
  std::size_t judged = 0;
  std::vector<std::string> others;
  for (const auto& [cause, n] : found) {
    judged += n;
    if (cause != Cause::hardware) others.push_back(fmt::format("{} ({})", to_string(cause), n));
  }
  const std::string alike =
      equal == 0 ? "" : fmt::format("{} may as well be equal", units::plural(equal, "case"));
  if (judged == 0 && equal > 0)
    return fmt::format("{} on both sides, so that there is nothing to explain", alike);
  if (judged == 0)
    return "no roof of both sides says anything of these cases, so nothing is explained";
  return fmt::format(
      "the hardware explains {} of {} with roofs on both sides, to within {:.0f}%{}{}{}",
      found[Cause::hardware], units::plural(judged, "case"), 100 * (analysis::roof_margin - 1),
      others.empty() ? "" : "; the rest of the others: ", fmt::join(others, ", "),
      equal == 0 ? "" : "; " + alike);
}

/// What is not in these numbers, and what else differs; empty when nothing is and does.
std::string limits(const ComparedRuns& compared) {
  const analysis::Comparison& comparison = compared.comparison;
  const std::size_t all = compared.counts ? compared.counted.size() : comparison.cases.size();
  const auto of_a = std::ranges::count_if(comparison.one_sided, &analysis::OneSided::of_a);
  const auto failed = all - static_cast<std::size_t>(compared_cases(compared));
  std::vector<std::string> parts;
  const auto add = [&](std::size_t n, const char* what, const char* how) {
    if (n > 0) parts.push_back(units::plural(n, what) + how);
  };
  add(failed, "case", " not compared");
  add(static_cast<std::size_t>(of_a), "case", " only in A");
  add(comparison.one_sided.size() - static_cast<std::size_t>(of_a), "case", " only in B");
  add(comparison.differences.size(), "difference", " beside the hardware");
  return fmt::to_string(fmt::join(parts, ", "));
}

}  // namespace

std::string equal_counts(const ComparedRuns& compared) {
  int cases = 0, metrics = 0;
  for (const analysis::ComparedCounts& one : compared.counted) {
    cases += one.not_compared.empty() && one.changed.empty();
    metrics += one.equal;
  }
  return fmt::format("{} of {} equal in every count; {} equal counts in all",
                     units::plural(cases, "case"), compared_cases(compared), metrics);
}

std::vector<std::string> conclusions(const ComparedRuns& compared) {
  std::vector<std::string> said;
  if (compared_cases(compared) == 0) {
    said.emplace_back("nothing could be compared");
  } else if (compared.counts) {
    said.push_back(equal_counts(compared));
  } else {
    std::set<std::string> suites;
    for (const ComparedCase& one : compared.comparison.cases)
      if (one.ratio) suites.insert(one.id.suite);
    said.push_back(fmt::format("{} of {} compared", units::plural(compared_cases(compared), "case"),
                               units::plural(suites.size(), "suite")));
    said.push_back(means(compared.comparison.suites));
    said.push_back(explained(compared.comparison.cases));
  }
  if (std::string left_out = limits(compared); !left_out.empty())
    said.push_back(std::move(left_out));
  return said;
}

}  // namespace ridgeline::present
