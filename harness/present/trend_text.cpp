#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/exit_code.hpp"
#include "harness/present/trend.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::present {
namespace {

using analysis::DeviceTrend;

constexpr std::size_t members_listed = 8;

void detail(std::string& text, const std::string& line) {
  if (!line.empty()) text += fmt::format("            {}\n", line);
}

void head(std::string& text, const std::string& day, std::string_view kind,
          const std::string& what) {
  text += fmt::format("\n{:<11} {:<13}{}\n", day, kind, what);
}

/// One fact a line.
void what_changed(std::string& text, const std::vector<std::string>& facts) {
  for (const std::string& fact : facts) detail(text, "changed: " + printable(fact, 300));
}

void add(std::string& text, const DeviceTrend& trend, const Finding& one) {
  const bool shared = !one.members.empty();
  const std::string what = shared ? in_words(one) : printable(one.case_name, 400);
  head(text, trend.nights.nights[one.night].date, kind_words(one), what);
  if (!shared) detail(text, in_words(one));
  std::string where = one.where;
  if (one.is_new) where += where.empty() ? "new" : ", new";
  if (const std::string_view state = state_word(one); !state.empty() && state != "undone")
    where += fmt::format("{}{}", where.empty() ? "" : ", ", state);
  detail(text, one.sparkline + (one.sparkline.empty() || where.empty() ? "" : "  ") + where);
  if (one.mode && !shared) return;
  detail(text, standing_words(trend, one));
  for (std::size_t i = 0; i < std::min(one.members.size(), members_listed); ++i)
    detail(text, fmt::format("{}  {}{}", printable(one.members[i].case_name, 400),
                             in_words(one.members[i]), one.members[i].mode ? ", a mode" : ""));
  if (one.members.size() > members_listed)
    detail(text, fmt::format("and {} more; --json lists all", one.members.size() - members_listed));
  if (one.changes) what_changed(text, one.changes->environment);
  if (const std::string built = commit_words(one); !built.empty())
    detail(text, "changed: " + built);
  if (const std::string cause = cause_words(one); !cause.empty())
    detail(text, "cause: " + printable(cause, 2000));
  if (!one.confirm.empty()) detail(text, "confirm: " + printable(one.confirm, 4000));
  if (!one.bisect.empty()) detail(text, "bisect:  " + printable(one.bisect, 4000));
  if (!one.cannot_confirm.empty()) detail(text, "to confirm: " + one.cannot_confirm);
}

void add_head(std::string& text, const DeviceTrend& trend) {
  const analysis::NightlyDevice& device = trend.nights;
  text += fmt::format("{}, {} ({}), profile {}: {} from {} to {}, {}\n",
                      printable(device.device.model), printable(device.device.id),
                      printable(device.pool.empty() ? device.device.uuid : device.pool),
                      printable(device.profile), units::plural(std::ssize(device.nights), "night"),
                      device.nights.front().date, device.nights.back().date,
                      units::plural(trend.series, "case"));
  for (const std::string& line : limits(trend)) text += line + '\n';
}

}  // namespace

int fail_on_new(const std::vector<analysis::DeviceTrend>& devices) {
  const auto any = [](const auto& of) {
    return std::ranges::any_of(of, [](const auto& one) { return fails(one); });
  };
  int code = std::ranges::all_of(devices, [](const auto& device) { return device.series == 0; })
                 ? undecided
                 : fine;
  for (const analysis::DeviceTrend& device : devices) {
    if (any(device.stops)) return not_all_measured;
    if (any(device.changes) || any(device.fleet) || any(device.drifts)) code = regression;
  }
  return code;
}

std::string sparkline(const std::vector<double>& values, std::size_t marked) {
  static constexpr const char* bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::size_t widest = 60;
  if (values.empty()) return {};
  if (values.size() > widest) {
    std::vector<double> fewer;  // medians of as many neighbours as it takes
    const std::size_t each = (values.size() + widest - 1) / widest;
    for (std::size_t begin = 0; begin < values.size(); begin += each)
      fewer.push_back(
          stats::median(std::span(values).subspan(begin, std::min(each, values.size() - begin))));
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

std::string trend_text(const TrendReport& report) {
  std::string text;
  for (const DeviceTrend& trend : report.devices) {
    if (!text.empty()) text += '\n';
    add_head(text, trend);
    for (const analysis::EnvironmentStart& start : trend.environments) {
      if (!is_listed(report.listed, "environment", false)) break;
      head(text, trend.nights.nights[start.night].date, "environment", in_words(start));
      what_changed(text, start.facts);
      detail(text, "series start anew");
    }
    const std::vector<Finding> found = findings(trend);
    std::size_t hidden = 0;
    for (const Finding& one : listed(found, report.listed, hidden)) add(text, trend, one);
    if (hidden > 0) text += fmt::format("\nand {} more, which --limit hides\n", hidden);
    for (const record::Told& told : trend.gone) {
      if (!is_listed(report.listed, "gone", false)) break;
      head(text, printable(told.night), "gone", gone_words(told));
      detail(text, "label " + printable(told.label));
    }
    text += fmt::format("\n{}\n", totals(found, trend, report.rules.shown_nights));
  }
  return text;
}

}  // namespace ridgeline::present
