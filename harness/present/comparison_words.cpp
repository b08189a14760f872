#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/summary.hpp"
#include "harness/base/text.hpp"
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

/// "cuda:1 is slower than cuda:0 by 5.0% (at least 4.8%), over 12 cases of gemm"
std::string slower(const analysis::SiblingsOfSuite& suite, std::size_t which) {
  const analysis::Sibling &one = suite.devices[which], &other = suite.devices[1 - which];
  return fmt::format("{} is slower than {} by {} (at least {}), over {}{}", printable(one.device),
                     printable(other.device), units::percent(one.ratio - 1),
                     units::percent(one.interval->low - 1), units::plural(suite.cases, "case"),
                     suite.suite.empty() ? "" : " of " + printable(suite.suite));
}

}  // namespace

std::vector<std::string> sibling_sentences(const analysis::Comparison& comparison) {
  const auto& suites = comparison.siblings;
  std::vector<std::string> said;
  if (suites.empty()) {
    said.emplace_back("no case has times of both GPUs, so that nothing is said of them");
    return said;
  }
  const analysis::SiblingsOfSuite& all = suites.front();
  const analysis::Sibling &a = all.devices[0], &b = all.devices[1];
  if (!b.interval) {
    said.push_back(
        fmt::format("with one process per case, nothing tells a difference between {} and {} "
                    "from noise",
                    printable(a.device), printable(b.device)));
    return said;
  }
  for (const analysis::SiblingsOfSuite& suite : suites)
    for (const std::size_t which : {0U, 1U})
      if (suite.devices[which].is_slower() && (&suite == &all || !all.devices[which].is_slower()))
        said.push_back(slower(suite, which));
  if (!a.is_slower() && !b.is_slower())
    said.push_back(fmt::format("no difference between {} and {} beyond {}, over {}",
                               printable(a.device), printable(b.device),
                               units::percent(std::max(a.interval->high, b.interval->high) - 1),
                               units::plural(all.cases, "case")));
  return said;
}

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
    if (compared.together > 0)
      for (std::string& sentence : sibling_sentences(compared.comparison))
        said.push_back(std::move(sentence));
    else
      said.push_back(explained(compared.comparison.cases));
  }
  if (std::string left_out = limits(compared); !left_out.empty())
    said.push_back(std::move(left_out));
  return said;
}

}  // namespace ridgeline::present
