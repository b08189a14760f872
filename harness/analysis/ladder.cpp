#include "harness/analysis/ladder.hpp"

#include <algorithm>

#include "harness/stats/ratio_interval.hpp"

namespace ridgeline::analysis {
namespace {

bool has_time(const Rung& rung) { return rung.summary && rung.summary->median_ns; }

Rung find(const std::string& name, const std::vector<CaseSummary>& summaries) {
  const auto found = std::ranges::find_if(
      summaries, [&](const CaseSummary& one) { return record::name(one.case_info.id) == name; });
  return {name, found == summaries.end() ? std::nullopt : std::optional(*found), {}, {}};
}

std::vector<Rung> find(const std::vector<std::string>& names,
                       const std::vector<CaseSummary>& summaries) {
  std::vector<Rung> found;
  for (const std::string& name : names) found.push_back(find(name, summaries));
  return found;
}

std::optional<SpeedUp> over(const Rung& from, const Rung& to) {
  if (!from.summary || !to.summary) return std::nullopt;
  return speed_up(*from.summary, *to.summary);
}

/// Work of `to` over that of `from`. What is known of both goes before what problems say: the size
/// of a roof's problem is the device's choice.
std::optional<double> work(const CaseSummary& from, const CaseSummary& to) {
  for (const auto amount : {&CaseSummary::flops, &CaseSummary::bytes})
    if ((from.*amount).value_or(0) > 0 && (to.*amount).value_or(0) > 0)
      return *(to.*amount) / *(from.*amount);
  const record::CaseId &a = from.case_info.id, &b = to.case_info.id;
  return a.suite == b.suite && a.problem == b.problem ? std::optional(1.0) : std::nullopt;
}

std::optional<std::size_t> fastest(const std::vector<Rung>& references) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < references.size(); ++i) {
    if (!has_time(references[i])) continue;
    const auto gain = best ? over(references[*best], references[i]) : std::nullopt;
    if (!best || (gain && gain->ratio > 1)) best = i;
  }
  return best;
}

}  // namespace

std::optional<SpeedUp> times_as_fast(const CaseSummary& from, const CaseSummary& to, double work) {
  if (!from.median_ns || !to.median_ns) return std::nullopt;
  const double times = *from.median_ns / *to.median_ns;
  SpeedUp result{times * work, stats::ratio_interval(to.medians_ns, from.medians_ns, times)};
  if (result.interval)
    result.interval = stats::Interval{result.interval->low * work, result.interval->high * work};
  return result;
}

std::optional<SpeedUp> speed_up(const CaseSummary& from, const CaseSummary& to) {
  const std::optional<double> more = work(from, to);
  return more ? times_as_fast(from, to, *more) : std::nullopt;
}

ClimbedLadder climb(const Ladder& ladder, const std::vector<CaseSummary>& summaries) {
  ClimbedLadder climbed{
      ladder, find(ladder.rungs, summaries), find(ladder.references, summaries), {}};
  climbed.reference = fastest(climbed.references);
  for (std::size_t i = 0; i < climbed.rungs.size(); ++i) {
    Rung& rung = climbed.rungs[i];
    if (i > 0) rung.over_before = over(climbed.rungs[i - 1], rung);
    if (climbed.reference) rung.over_reference = over(climbed.references[*climbed.reference], rung);
  }
  return climbed;
}

}  // namespace ridgeline::analysis
