#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/repeat.hpp"
#include "harness/present/run_text.hpp"
#include "harness/present/trend.hpp"
#include "harness/present/turning_environment.hpp"

namespace ridgeline::present {
namespace {

using analysis::DeviceTrend;
using analysis::EnvironmentStart;
using analysis::FleetEvent;
using analysis::TrendChange;
using analysis::TrendDrift;
using analysis::TrendKind;
using analysis::TrendStop;

/// "+4.9%" of 1.049, "1.2e+09 times" of what percent would only blur.
std::string change(double ratio) {
  constexpr double far = 100;
  if (ratio >= far || ratio <= 1 / far) return fmt::format("{:.3g} times", ratio);
  return fmt::format("{}{}", ratio < 1 ? "-" : "+", units::percent(std::abs(ratio - 1)));
}

/// Whether a number can hold it, and it says how much there is of what was.
bool is_ratio(double ratio) { return std::isfinite(ratio) && ratio > 0; }

std::string in_the_middle(double ratio) {
  return is_ratio(ratio) ? fmt::format(", {} in the middle", change(ratio)) : "";
}

/// How large it is, whichever its direction; nothing where no ratio tells it.
double size(const Finding& one) { return std::abs(std::log(one.ratio.value_or(1))); }

/// ", with power_limit_w 200" where environments take turns.
std::string with_environment(const DeviceTrend& trend, const auto& one) {
  const std::string words = turning_environment(trend, one.case_name, one.environment);
  return words.empty() ? "" : ", with " + words;
}

/// Which other nights it may have been on, when it was told, and what became of it.
std::string where(const DeviceTrend& trend, const TrendChange& one) {
  if (!one.metric.empty()) return {};
  const auto date = [&](std::size_t night) { return trend.nights.nights[night].date; };
  const std::size_t before =
      one.night_before.value_or(one.earliest - std::min<std::size_t>(one.earliest, 1));
  const bool exact = one.earliest == one.latest, neighbours = before + 1 >= one.earliest;
  std::string text =
      fmt::format("between {} and {}", exact && neighbours ? "the night before" : date(before),
                  exact ? "this one" : date(one.latest));
  if (one.raised)
    text +=
        fmt::format(", told {}{}", date(*one.raised), one.shared ? " by many cases together" : "");
  if (one.undoes) text += fmt::format(", takes that of {} back", date(*one.undoes));
  if (one.undone) text += fmt::format(", undone {}", date(*one.undone));
  return text + with_environment(trend, one);
}

void add_command(Finding& one, const DeviceTrend& trend, const std::string& case_name) {
  one.confirm =
      confirming_command(*one.changes, trend.nights.device, case_name, one.cannot_confirm);
  if (one.confirm.empty() || one.kind != to_string(TrendKind::regression)) return;
  const bool counted = one.step && !one.step->metric.empty();
  one.bisect = search_of_commits(
      one.changes->before_commit, one.changes->after_commit, trend.nights.device.id, case_name,
      counted ? std::nullopt : std::optional((one.ratio.value_or(1) - 1) / 2));
}

std::string levels(const TrendChange& one) {
  if (one.metric.empty())
    return fmt::format("{} -> {}", units::time(one.before), units::time(one.after));
  const auto [before, after] = units::counts(one.before, one.after);
  return fmt::format(
      "{} {} -> {}{}", printable(one.metric), before, after,
      one.other_metrics == 0
          ? ""
          : fmt::format(", and {}", units::plural(one.other_metrics, "other metric")));
}

/// Whether nobody has called it expected or resolved, and it is not undone.
bool is_open(const analysis::Standing& standing) {
  return !standing.undone && !standing.is(record::ToldState::expected) &&
         !standing.is(record::ToldState::resolved);
}

/// `found` with what all kinds of findings have.
Finding told(std::string_view kind, std::size_t night, const auto& found, std::string levels) {
  Finding made;
  made.kind = kind;
  made.night = night;
  made.is_new = found.is_new;
  made.fails = fails(found);
  made.standing = &found.standing;
  made.levels = std::move(levels);
  return made;
}

void explain(Finding& made, const auto& found) {
  made.changes = &found.changes;
  if (found.why) made.why = &*found.why;
}

Finding finding(const DeviceTrend& trend, const TrendChange& one) {
  Finding made = told(to_string(one.kind), one.night, one, levels(one));
  made.mode = one.mode;
  made.worse =
      !one.mode && !one.ends_spell && one.kind == TrendKind::regression && is_open(one.standing);
  made.case_name = one.case_name;
  if (one.before > 0 && is_ratio(one.after / one.before)) made.ratio = one.after / one.before;
  if (one.ratio && is_ratio(one.ratio->low) && is_ratio(one.ratio->high)) made.range = one.ratio;
  made.where = where(trend, one);
  made.raised = one.raised;
  made.sparkline = sparkline(one.recent, one.marked);
  explain(made, one);
  made.step = &one;
  add_command(made, trend, one.case_name);
  return made;
}

Finding finding(const DeviceTrend& trend, const FleetEvent& event) {
  Finding made = told(to_string(event.kind), event.night, event,
                      fmt::format("{} changed within {}: {} slower, {} faster{}",
                                  units::plural(event.members.size(), "case"),
                                  units::plural(analysis::fleet_days, "day"), event.slower,
                                  event.faster, in_the_middle(event.ratio)));
  for (const TrendChange& member : event.members) made.members.push_back(finding(trend, member));
  std::ranges::stable_sort(made.members, std::ranges::greater{}, size);
  made.mode = std::ranges::all_of(made.members, &Finding::mode);
  made.worse = !made.mode && event.kind == TrendKind::regression && is_open(event.standing);
  if (is_ratio(event.ratio)) made.ratio = event.ratio;
  explain(made, event);
  add_command(made, trend, made.members.front().case_name);
  return made;
}

Finding finding(const DeviceTrend& trend, const TrendDrift& drift) {
  const std::vector<analysis::Night>& nights = trend.nights.nights;
  Finding made =
      told("drift", drift.from, drift,
           drift.last + 1 == nights.size()
               ? "since then, little by little"
               : fmt::format("little by little, seen until {}", nights[drift.last].date));
  made.until = drift.last;
  made.worse = drift.ratio > 1 && is_open(drift.standing);
  made.case_name = drift.case_name;
  made.ratio = drift.ratio;
  made.range = drift.range;
  made.raised = drift.raised;
  made.where = fmt::format("told {}", nights[drift.raised].date) + with_environment(trend, drift);
  made.sparkline = sparkline(drift.recent);
  explain(made, drift);
  return made;
}

Finding renamed(const DeviceTrend& trend, const TrendStop& stop) {
  const analysis::Continuation& next = *stop.continued_by;
  Finding made =
      told("stopped", stop.last, stop,
           fmt::format("its last night; {} goes on from {}: {}", printable(next.case_name, 400),
                       trend.nights.nights[next.first].date, fmt::join(next.evidence, "; ")));
  made.case_name = stop.case_name;
  made.continued_by = &next;
  return made;
}

Finding finding(const DeviceTrend& trend, const TrendStop& stop) {
  if (stop.continued_by) return renamed(trend, stop);
  Finding made = told(
      "stopped", stop.last, stop,
      fmt::format("its last night; {} without it since, {}",
                  units::plural(analysis::whole_nights_after(trend.nights, stop.last), "night"),
                  stop.since_then
                      ? fmt::format("the latest outcome is {}", record::to_string(*stop.since_then))
                      : "not measured"));
  made.worse = is_open(stop.standing);
  made.case_name = stop.case_name;
  made.since_then = stop.since_then;
  return made;
}

/// "14 unstable, 2 crashed measurements; 3 runs of a gate".
std::string left_out(const DeviceTrend& trend) {
  std::int64_t measurements = 0;
  for (const auto& [outcome, n] : trend.nights.left_out) measurements += n;
  std::string text;
  if (measurements > 0)
    text = fmt::format("{} ({})", units::plural(measurements, "measurement"),
                       outcome_counts(trend.nights.left_out));
  for (const auto& [why, n] : trend.nights.other_runs)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", units::plural(n, "run"), why);
  return text;
}

}  // namespace

std::string in_words(const EnvironmentStart& start) {
  if (!start.ratio) return "another comparable environment, with no case of the one before";
  return fmt::format("another comparable environment: {}, {} in the middle",
                     units::plural(start.cases, "case"), change(*start.ratio));
}

std::string_view kind_words(const Finding& one) {
  if (one.mode) return "mode";
  return one.continued_by ? "renamed" : one.kind;
}

std::string change_words(const Finding& one) { return one.ratio ? change(*one.ratio) : ""; }

std::string range_words(const Finding& one) {
  return one.range ? fmt::format("{} to {}", change(one.range->low), change(one.range->high)) : "";
}

std::string in_words(const Finding& one) {
  if (!one.ratio || !one.members.empty()) return one.levels;
  const std::string range = one.range ? fmt::format(" ({})", range_words(one)) : "";
  return fmt::format("{}{}  {}", change_words(one), range, one.levels);
}

std::string commit_words(const Finding& one) {
  const auto name = [](const std::string& commit, bool dirty) {
    return commit.empty() ? std::string("unknown")
                          : printable(commit.substr(0, 12)) + (dirty ? " with local changes" : "");
  };
  if (!one.changes || !one.changes->commit_changed()) return {};
  return fmt::format("commit {} -> {}", name(one.changes->before_commit, one.changes->before_dirty),
                     name(one.changes->after_commit, one.changes->after_dirty));
}

std::string cause_words(const Finding& one) {
  if (!one.why) return {};
  std::vector<std::string> more;
  for (const std::string& words : one.why->evidence)
    if (!one.changes || std::ranges::count(one.changes->environment, words) == 0)
      more.push_back(words);
  return fmt::format("{}{}{}", to_string(one.why->cause), more.empty() ? "" : ": ",
                     fmt::join(more, "; "));
}

std::vector<Finding> findings(const DeviceTrend& trend) {
  std::vector<Finding> found;
  const auto add = [&](const auto& list) {
    for (const auto& one : list) found.push_back(finding(trend, one));
  };
  add(trend.changes);
  add(trend.fleet);
  add(trend.drifts);
  add(trend.stops);
  std::ranges::stable_sort(found, {}, [](const Finding& one) {
    return std::tuple(!one.fails, !one.is_new, one.mode, -static_cast<std::ptrdiff_t>(one.night),
                      -size(one));
  });
  return found;
}

bool is_listed(const ListedFindings& listed, std::string_view kind, bool is_new) {
  const auto names = [&](std::string_view word) {
    return std::ranges::find(listed.kinds, word) != listed.kinds.end();
  };
  if (names("new") && !is_new) return false;
  return listed.kinds.size() == (names("new") ? 1 : 0) || names(kind);
}

std::vector<Finding> listed(std::vector<Finding> found, const ListedFindings& listed,
                            std::size_t& hidden) {
  std::erase_if(
      found, [&](const Finding& one) { return !is_listed(listed, kind_words(one), one.is_new); });
  const std::size_t most = std::min(found.size(), listed.most.value_or(found.size()));
  hidden = found.size() - most;
  found.erase(found.begin() + static_cast<std::ptrdiff_t>(most), found.end());
  return found;
}

std::string totals(const std::vector<Finding>& found, const DeviceTrend& trend,
                   std::size_t shown_nights) {
  std::vector<std::string> parts;
  const auto tally = [&](const char* one, const char* many, const auto& wanted) {
    const auto n = std::ranges::count_if(found, wanted),
               fresh = std::ranges::count_if(
                   found, [&](const Finding&each) { return each.is_new && wanted(each); });
    if (n > 0)
      parts.push_back((n != 1 && many ? fmt::format("{} {}", n, many) : units::plural(n, one)) +
                      (fresh > 0 ? fmt::format(" ({} new)", fresh) : ""));
  };
  const auto of_one_case = [](std::string_view kind) {
    return [kind](const Finding& one) { return one.members.empty() && kind_words(one) == kind; };
  };
  tally("regression", nullptr, of_one_case("regression"));
  tally("improvement", nullptr, of_one_case("improvement"));
  tally("change with the environment", "changes with the environment", of_one_case("environment"));
  tally("fleet event", nullptr, [](const Finding& one) { return !one.members.empty(); });
  std::int64_t members = 0;
  for (const Finding& one : found) members += std::ssize(one.members);
  if (members > 0) parts.back() += fmt::format(" of {}", units::plural(members, "case"));
  tally("drift", nullptr, of_one_case("drift"));
  tally("stopped case", nullptr, of_one_case("stopped"));
  tally("renamed case", nullptr, of_one_case("renamed"));
  tally("change between modes", "changes between modes", of_one_case("mode"));
  const std::size_t nights = std::min(shown_nights, trend.nights.nights.size());
  if (parts.empty())
    parts.emplace_back(trend.series > 0 ? "nothing changed" : "nothing was measured");
  return fmt::format("the last {}: {}{}", nights == 1 ? "night" : fmt::format("{} nights", nights),
                     fmt::join(parts, ", "),
                     trend.older == 0 ? ""
                                      : fmt::format("; {} before, which --nights lists",
                                                    units::plural(trend.older, "change")));
}

std::vector<std::string> limits(const DeviceTrend& trend) {
  std::vector<std::string> lines;
  if (trend.silent_days)
    lines.push_back(fmt::format("silent: no night since {}, {} ago",
                                trend.nights.nights.back().date,
                                units::plural(*trend.silent_days, "day")));
  if (const std::string out = left_out(trend); !out.empty()) lines.push_back("left out: " + out);
  for (const std::string& oddity : trend.nights.oddities) lines.push_back("odd: " + oddity);
  if (trend.too_short > 0)
    lines.push_back(fmt::format(
        "{} {} fewer than {} in this environment: nothing of {} can be told yet",
        units::plural(trend.too_short, "case"), trend.too_short == 1 ? "has" : "have",
        units::plural(analysis::least_told_nights, "night"), trend.too_short == 1 ? "it" : "them"));
  return lines;
}

std::string confirming_command(const analysis::NightChanges& changes, const record::Device& device,
                               const std::string& case_name, std::string& why) {
  if (changes.before_commit.empty() || changes.after_commit.empty())
    why = "a commit is not known, so that none can be built again";
  else if (changes.code_known() && changes.before_code == changes.after_code)
    why = "the workers' code is the same on both sides: it is not the code";
  else if (!changes.commit_changed())
    why = changes.before_dirty || changes.after_dirty
              ? "the commit is the same, with local changes that are not stored"
              : "the commit is the same on both sides: it is not the code";
  else if (changes.before_dirty || changes.after_dirty)
    why = "built with local changes, which cannot be built again";
  else
    return gate_of_commits(changes.before_commit, changes.after_commit, device.id, {case_name});
  return {};
}

}  // namespace ridgeline::present
