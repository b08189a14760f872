#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/shell.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/exit_code.hpp"
#include "harness/present/trend.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::present {
namespace {

using analysis::DeviceTrend;
using analysis::EnvironmentStart;
using analysis::FleetEvent;
using analysis::NightChanges;
using analysis::TrendChange;
using analysis::TrendDrift;
using analysis::TrendKind;
using analysis::TrendStop;

constexpr std::size_t members_listed = 8;

std::string count(std::size_t n, const char* one, const char* many = nullptr) {
  return fmt::format("{} {}", n, n == 1 ? one : many ? std::string(many) : std::string(one) + "s");
}

/// "+4.9%" of 1.049.
std::string change(double ratio) {
  return fmt::format("{}{}", ratio < 1 ? "-" : "+", units::percent(std::abs(ratio - 1)));
}

std::string range(const stats::Interval& interval) {
  return fmt::format("({} to {})", change(interval.low), change(interval.high));
}

const std::string& date(const DeviceTrend& trend, std::size_t night) { return trend.nights.nights[night].date; }

void detail(std::string& text, const std::string& line) {
  if (!line.empty()) text += fmt::format("            {}\n", line);
}

void head(std::string& text, const std::string& day, std::string_view kind, const std::string& what) {
  text += fmt::format("\n{:<11} {:<13}{}\n", day, kind, what);
}

std::string commits(const NightChanges& changes) {
  const auto name = [](const std::string& commit, bool dirty) {
    return commit.empty() ? std::string("unknown")
                          : printable(commit.substr(0, 12)) + (dirty ? " with local changes" : "");
  };
  if (!changes.commit_changed()) return {};
  return fmt::format("commit {} -> {}", name(changes.before_commit, changes.before_dirty),
                     name(changes.after_commit, changes.after_dirty));
}

/// What else changed, one fact a line.
void what_changed(std::string& text, const NightChanges& changes) {
  for (const std::string& fact : changes.environment) detail(text, "changed: " + printable(fact, 300));
  if (const std::string built = commits(changes); !built.empty()) detail(text, "changed: " + built);
}

void how_to_confirm(std::string& text, const NightChanges& changes, const record::Device& device,
                    const std::string& case_name) {
  std::string why;
  const std::string command = confirming_command(changes, device, case_name, why);
  detail(text, command.empty() ? "to confirm: " + why : "confirm: " + printable(command, 4000));
}

std::string levels(const TrendChange& one) {
  if (one.metric.empty())
    return fmt::format("{} {}  {} -> {}", change(one.after / one.before), range(*one.ratio), units::time(one.before),
                       units::time(one.after));
  const auto [before, after] = units::counts(one.before, one.after);
  return fmt::format("{} {} -> {}{}{}", printable(one.metric), before, after,
                     one.before > 0 ? fmt::format(" ({})", change(one.after / one.before)) : "",
                     one.other_metrics == 0 ? "" : fmt::format(", and {}", count(one.other_metrics, "other metric")));
}

std::string where(const DeviceTrend& trend, const TrendChange& one) {
  if (!one.metric.empty()) return one.is_new ? "new" : "";
  std::string text = one.earliest == one.latest
                         ? "between the night before and this one"
                         : fmt::format("between {} and {}", date(trend, one.earliest - (one.earliest > 0 ? 1 : 0)),
                                       date(trend, one.latest));
  if (one.raised) text += fmt::format(", confirmed {}", date(trend, *one.raised));
  return text + (one.is_new ? ", new" : "");
}

void add(std::string& text, const DeviceTrend& trend, const TrendChange& one) {
  head(text, date(trend, one.night), one.confirmed ? to_string(one.kind) : "unconfirmed",
       printable(one.case_name, 400));
  detail(text, levels(one));
  detail(text, fmt::format("{}  {}", sparkline(one.recent, one.marked), where(trend, one)));
  if (!one.confirmed) return;
  what_changed(text, one.changes);
  how_to_confirm(text, one.changes, trend.nights.device, one.case_name);
}

double change_size(const TrendChange& change) {
  return change.before > 0 && change.after > 0 ? std::abs(std::log(change.after / change.before)) : 0;
}

void add(std::string& text, const DeviceTrend& trend, const FleetEvent& event) {
  head(text, date(trend, event.night), to_string(event.kind), in_words(event) + (event.is_new ? ", new" : ""));
  std::vector<const TrendChange*> largest;
  for (const TrendChange& member : event.members) largest.push_back(&member);
  std::ranges::stable_sort(largest, std::ranges::greater{},
                           [](const TrendChange* member) { return change_size(*member); });
  for (std::size_t i = 0; i < std::min(largest.size(), members_listed); ++i)
    detail(text, fmt::format("{}  {}{}", printable(largest[i]->case_name, 400), levels(*largest[i]),
                             largest[i]->confirmed ? "" : ", unconfirmed"));
  if (largest.size() > members_listed)
    detail(text, fmt::format("and {} more; --json lists all", largest.size() - members_listed));
  what_changed(text, event.changes);
  how_to_confirm(text, event.changes, trend.nights.device, largest.front()->case_name);
}

void add(std::string& text, const DeviceTrend& trend, const TrendDrift& drift) {
  head(text, date(trend, drift.from), "drift", printable(drift.case_name, 400));
  detail(text, fmt::format("{} {} since then, little by little", change(drift.ratio), range(drift.range)));
  detail(text, fmt::format("{}{}", sparkline(drift.recent), drift.is_new ? "  new" : ""));
  what_changed(text, drift.changes);
}

void add(std::string& text, const DeviceTrend& trend, const TrendStop& stop) {
  head(text, date(trend, stop.last), "stopped", printable(stop.case_name, 400));
  detail(text, in_words(stop, trend.nights.nights.size()) + (stop.is_new ? ", new" : ""));
}

void add(std::string& text, const DeviceTrend& trend, const EnvironmentStart& start) {
  head(text, date(trend, start.night), "environment", in_words(start));
  for (const std::string& fact : start.facts) detail(text, "changed: " + printable(fact, 300));
  detail(text, "series start anew");
}

/// "14 unstable, 2 crashed measurements; 3 runs of a gate".
std::string left_out(const DeviceTrend& trend) {
  std::vector<std::string> parts;
  std::int64_t measurements = 0;
  for (const auto& [outcome, n] : trend.nights.left_out) {
    parts.push_back(fmt::format("{} {}", n, record::to_string(outcome)));
    measurements += n;
  }
  std::string text;
  if (!parts.empty())
    text = fmt::format("{} ({})", count(static_cast<std::size_t>(measurements), "measurement"), fmt::join(parts, ", "));
  for (const auto& [why, n] : trend.nights.other_runs)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count(static_cast<std::size_t>(n), "run"), why);
  return text;
}

void add_head(std::string& text, const DeviceTrend& trend) {
  const analysis::NightlyDevice& device = trend.nights;
  text += fmt::format("{}, {} ({}), profile {}: {} from {} to {}, {}\n", printable(device.device.model),
                      printable(device.device.id), printable(device.device.uuid), printable(device.profile),
                      count(device.nights.size(), "night"), device.nights.front().date, device.nights.back().date,
                      count(trend.series, "case"));
  if (const std::string out = left_out(trend); !out.empty()) text += fmt::format("left out: {}\n", out);
  if (trend.too_short > 0)
    text += fmt::format("{} {} fewer than 60 nights in this environment: nothing of {} can be confirmed yet\n",
                        count(trend.too_short, "case"), trend.too_short == 1 ? "has" : "have",
                        trend.too_short == 1 ? "it" : "them");
}

/// What of `of` there is, and how much of it is new: "2 regressions (1 new)".
template <class List, class Wanted>
void tally(std::vector<std::string>& parts, const List& of, const char* one, const char* many, Wanted&& wanted) {
  std::size_t n = 0, fresh = 0;
  for (const auto& item : of) {
    if (!wanted(item)) continue;
    ++n;
    fresh += item.is_new ? 1 : 0;
  }
  if (n > 0) parts.push_back(count(n, one, many) + (fresh > 0 ? fmt::format(" ({} new)", fresh) : ""));
}

std::string totals(const DeviceTrend& trend, std::size_t shown_nights) {
  std::vector<std::string> parts;
  const auto all = [](const auto&) { return true; };
  for (const TrendKind kind : {TrendKind::regression, TrendKind::improvement, TrendKind::environment})
    tally(parts, trend.changes,
          kind == TrendKind::regression    ? "regression"
          : kind == TrendKind::improvement ? "improvement"
                                           : "change with the environment",
          kind == TrendKind::environment ? "changes with the environment" : nullptr,
          [&](const TrendChange& one) { return one.confirmed && one.kind == kind; });
  tally(parts, trend.fleet, "fleet event", nullptr, all);
  tally(parts, trend.drifts, "drift", nullptr, all);
  tally(parts, trend.stops, "stopped case", nullptr, all);
  tally(parts, trend.changes, "unconfirmed", "unconfirmed", [](const TrendChange& one) { return !one.confirmed; });
  const std::string nights = count(std::min(shown_nights, trend.nights.nights.size()), "night");
  return fmt::format(
      "\nthe last {}: {}{}\n", nights, parts.empty() ? "nothing changed" : fmt::to_string(fmt::join(parts, ", ")),
      trend.older == 0 ? "" : fmt::format("; {} before, which --nights lists", count(trend.older, "change")));
}

}  // namespace

int fail_on_new(const std::vector<analysis::DeviceTrend>& devices) {
  const auto any = [](const auto& of) { return std::ranges::any_of(of, [](const auto& one) { return fails(one); }); };
  int code = fine;
  for (const analysis::DeviceTrend& device : devices) {
    if (any(device.stops)) return not_all_measured;
    if (any(device.changes) || any(device.fleet) || any(device.drifts)) code = regression;
  }
  return code;
}

const TrendChange& largest(const FleetEvent& event) {
  return *std::ranges::max_element(event.members, {}, change_size);
}

std::string in_words(const FleetEvent& event) {
  return fmt::format("{} changed within 2 days: {} slower, {} faster, {} in the middle",
                     count(event.members.size(), "case"), event.slower, event.faster, change(event.ratio));
}

std::string in_words(const EnvironmentStart& start) {
  if (!start.ratio) return "another comparable environment, with no case of the one before";
  return fmt::format("another comparable environment: {}, {} in the middle", count(start.cases, "case"),
                     change(*start.ratio));
}

std::string in_words(const TrendStop& stop, std::size_t nights) {
  return fmt::format(
      "its last night; {} without it since, {}", count(nights - 1 - stop.last, "night"),
      stop.since_then ? fmt::format("the latest outcome is {}", record::to_string(*stop.since_then)) : "not measured");
}

std::string sparkline(const std::vector<double>& values, std::size_t marked) {
  static constexpr const char* bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::size_t widest = 60;
  if (values.empty()) return {};
  if (values.size() > widest) {
    std::vector<double> fewer;  // medians of as many neighbours as it takes
    const std::size_t each = (values.size() + widest - 1) / widest;
    for (std::size_t begin = 0; begin < values.size(); begin += each)
      fewer.push_back(stats::median(std::span(values).subspan(begin, std::min(each, values.size() - begin))));
    return sparkline(fewer, (marked + each / 2) / each);
  }
  const double low = stats::quantile(values, 0.05), high = stats::quantile(values, 0.95);
  std::string line;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i == marked && marked > 0) line += "│";
    const double part = high > low ? std::clamp((values[i] - low) / (high - low), 0.0, 1.0) : 0.5;
    line += bars[static_cast<std::size_t>(std::lround(7 * part))];
  }
  return line;
}

std::string confirming_command(const NightChanges& changes, const record::Device& device, const std::string& case_name,
                               std::string& why) {
  if (changes.before_commit.empty() || changes.after_commit.empty())
    why = "a commit is not known, so that none can be built again";
  else if (!changes.commit_changed())
    why = changes.before_dirty || changes.after_dirty ? "the commit is the same, with local changes that are not stored"
                                                      : "the commit is the same on both sides: it is not the code";
  else if (changes.before_dirty || changes.after_dirty)
    why = "built with local changes, which cannot be built again";
  else
    return shell_line({"ridgeline", "gate", "--device", device.id, "--baseline-ref",
                       changes.before_commit.substr(0, 12), "--candidate-ref", changes.after_commit.substr(0, 12),
                       case_name});
  return {};
}

std::string trend_text(const TrendReport& report) {
  std::string text;
  for (const DeviceTrend& trend : report.devices) {
    if (!text.empty()) text += '\n';
    add_head(text, trend);
    for (const EnvironmentStart& start : trend.environments) add(text, trend, start);
    for (const FleetEvent& event : trend.fleet) add(text, trend, event);
    for (const TrendStop& stop : trend.stops) add(text, trend, stop);
    for (const TrendDrift& drift : trend.drifts) add(text, trend, drift);
    for (const bool confirmed : {true, false})
      for (const TrendChange& one : trend.changes)
        if (one.confirmed == confirmed) add(text, trend, one);
    text += totals(trend, report.rules.shown_nights);
  }
  return text;
}

}  // namespace ridgeline::present
