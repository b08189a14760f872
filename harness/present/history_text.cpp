#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/history.hpp"
#include "harness/present/table.hpp"
#include "harness/record/json.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::present {
namespace {

/// What stands for a run in the history, and its unit: a time, or what an emulated device counted.
struct Shown {
  double value = 0;
  const char* unit = "ns";
};

std::optional<Shown> shown(const CaseResult& result) {
  if (result.median_ns) return Shown{*result.median_ns, "ns"};
  if (result.moved_bytes) return Shown{*result.moved_bytes, "B"};
  return std::nullopt;
}

/// "A", "B", ..., "Z", "AA": by what came first.
std::string mark(std::size_t place) {
  std::string letters;
  for (std::size_t left = place + 1; left > 0; left = (left - 1) / 26)
    letters.insert(letters.begin(), static_cast<char>('A' + (left - 1) % 26));
  return letters;
}

/// Against the row before with a value, where the environment is the same: "+3.2%".
std::string change(const HistoryRow& row, const HistoryRow* before) {
  if (before == nullptr || before->environment != row.environment) return "";
  const auto now = shown(row.result), was = shown(before->result);
  if (!now || !was || !(was->value > 0)) return "";
  const double by = now->value / was->value - 1;
  return fmt::format("{}{}", by < 0 ? "-" : "+", units::percent(std::abs(by)));
}

/// What fills the height of the line: twice the 95% interval of a usual run, and no less than a
/// twentieth, so that noise does not look like a change.
double height_of(std::vector<double> interval_widths, double low) {
  const double width = interval_widths.empty() ? 0 : stats::median(interval_widths);
  return std::max(2 * width, std::abs(low) / 20);
}

std::string line_of(const CaseHistory& history, Glyphs glyphs) {
  std::vector<std::optional<double>> values;
  std::vector<double> widths;
  std::optional<Shown> low, high;
  for (const HistoryRow& row : history.rows) {
    const auto now = shown(row.result);
    values.push_back(now ? std::optional(now->value) : std::nullopt);
    if (!now) continue;
    if (!low || now->value < low->value) low = now;
    if (!high || now->value > high->value) high = now;
    if (const auto& interval = row.result.interval_ns)
      widths.push_back(interval->high - interval->low);
  }
  std::string text = sparkline(values, glyphs, low ? height_of(widths, low->value) : 0);
  if (low && high->value > low->value) {
    text += "  " + units::range_in(units::unit_for(low->value, low->unit), low->value, high->value);
    if (low->value > 0)
      text += fmt::format(", {} apart", units::percent(high->value / low->value - 1));
  } else if (low) {
    text += "  " + units::quantity(low->value, low->unit);
  }
  text += ", " + units::plural(static_cast<std::int64_t>(history.rows.size()), "run");
  if (history.older > 0) text += fmt::format(", and {} older", history.older);
  return text + "\n";
}

std::string table_of(const CaseHistory& history, std::size_t width) {
  using Align = Table::Align;
  Table table({{"run"},
               {"environment"},
               {"value", Align::point},
               {"95% interval", Align::right, true, true},
               {"than before", Align::right, true, true},
               {"outcome"}});
  const HistoryRow* before = nullptr;
  for (const HistoryRow& row : history.rows) {
    const auto now = shown(row.result);
    const auto& interval = row.result.interval_ns;
    table.add({printable(row.run.id), mark(row.environment),
               now ? units::quantity(now->value, now->unit) : "",
               interval ? units::time_range(interval->low, interval->high) : "",
               change(row, before), std::string(record::to_string(row.result.outcome))});
    if (!row.result.reason.empty()) table.note(printable(row.result.reason, 1000));
    if (!row.run.imported.empty())
      table.note(fmt::format("imported from {}, unverified", printable(row.run.imported)));
    if (!row.run.unfit.empty())
      table.note("the machine was not fit: " + printable(row.run.unfit, 1000));
    if (now) before = &row;
  }
  return table.text(width);
}

std::string environments_of(const CaseHistory& history) {
  std::string text;
  for (std::size_t i = 1; i < history.environments.size(); ++i)
    text += fmt::format("{} to {}: {}\n", mark(i - 1), mark(i),
                        environment_change(history.environments[i - 1], history.environments[i]));
  return text;
}

json::Value row_json(const HistoryRow& row) {
  json::Value object{{"run", row.run.id},
                     {"started", row.run.started},
                     {"profile", row.run.profile},
                     {"environment", mark(row.environment)},
                     {"outcome", record::to_string(row.result.outcome)}};
  json::put(object, "label", row.run.label);
  json::put(object, "unfit", row.run.unfit);
  json::put(object, "imported", row.run.imported);
  json::put(object, "reason", row.result.reason);
  if (const auto now = shown(row.result)) {
    object["value"] = now->value;
    object["unit"] = now->unit;
  }
  if (const auto& interval = row.result.interval_ns)
    object["interval"] = json::Value(std::vector<double>{interval->low, interval->high});
  object["processes"] = row.result.processes;
  return object;
}

}  // namespace

std::string history_text(const std::vector<CaseHistory>& histories, Glyphs glyphs,
                         std::size_t width) {
  std::string text;
  for (const CaseHistory& history : histories)
    text +=
        fmt::format("{}{}\non {} ({}, {})\n{}{}{}", text.empty() ? "" : "\n",
                    printable(history.name, 400), printable(history.device.model),
                    printable(history.device.name), printable(history.device.uuid),
                    line_of(history, glyphs), table_of(history, width), environments_of(history));
  return text;
}

json::Value to_json(const CaseHistory& history) {
  json::Value environments = json::Value::object();
  for (std::size_t i = 0; i < history.environments.size(); ++i)
    environments[mark(i)] = json::Value(history.environments[i].comparable);
  return {{"case", history.name},
          {"model", history.device.model},
          {"device_uuid", history.device.uuid},
          {"environments", environments},
          {"runs", json::list(history.rows, row_json)},
          {"older", history.older}};
}

}  // namespace ridgeline::present
