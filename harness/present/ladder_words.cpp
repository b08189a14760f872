#include "harness/present/ladder_words.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/hardware_table.hpp"
#include "harness/present/rate.hpp"

namespace ridgeline::present {
namespace {

using analysis::CaseSummary;
using analysis::ClimbedLadder;
using analysis::Rung;
using analysis::SpeedUp;
using Align = Table::Align;

/// Name and field values of a case, of its name "suite/variant/dtype/a=1,b=2".
struct NameParts {
  std::string variant;
  std::vector<std::string> fields;
};
NameParts parts_of(const std::string& name) {
  NameParts parts;
  std::vector<std::string> levels{""};
  for (const char c : name)
    if (c == '/')
      levels.emplace_back();
    else
      levels.back() += c;
  parts.variant = levels.size() > 1 ? levels[1] : name;
  std::string field;
  for (const char c : levels.size() > 3 ? levels[3] + "," : std::string())
    if (c == ',')
      parts.fields.push_back(std::exchange(field, {}));
    else
      field += c;
  return parts;
}

/// What each case of a ladder is called in its table: the variant, and where it stands there more
/// than once the fields that tell.
std::map<std::string, std::string> labels(const ClimbedLadder& climbed) {
  std::map<std::string, std::vector<std::pair<std::string, NameParts>>> by_variant;
  for (const auto* side : {&climbed.rungs, &climbed.references})
    for (const Rung& rung : *side) {
      const NameParts parts = parts_of(rung.name);
      by_variant[parts.variant].emplace_back(rung.name, parts);
    }
  std::map<std::string, std::string> found;
  for (const auto& [variant, cases] : by_variant)
    for (const auto& [name, parts] : cases) {
      std::string label = variant;
      for (const std::string& field : parts.fields)
        if (!std::ranges::all_of(cases, [&](const auto& other) {
              return std::ranges::count(other.second.fields, field) > 0;
            }))
          label += " " + field;
      found[name] = printable(label, 400);
    }
  return found;
}

std::string gain_text(const std::optional<SpeedUp>& gain) {
  if (!gain) return "";
  return short_ratio(gain->ratio) +
         (gain->interval ? fmt::format(" ({})", ratio_range(*gain->interval)) : "");
}

bool is_unsteady_rung(const CaseSummary& summary) {
  return summary.disturbed || summary.outcome == record::Outcome::unstable ||
         summary.outcome == record::Outcome::unverified;
}

/// Whether the rung is none for the device, or the run lacked what it needs.
bool is_out_of_reach(const Rung& rung) {
  return rung.summary && (rung.summary->outcome == record::Outcome::unsupported ||
                          rung.summary->outcome == record::Outcome::unavailable);
}

std::string rate_text(const Rung& rung, const SharedUnits& units) {
  if (!rung.summary) return "not measured";
  const CaseSummary& summary = *rung.summary;
  if (!summary.median_ns) return analysis::in_words(summary.outcome, summary.reason);
  const std::optional<Rate> reached = rate(summary);
  return (reached ? units.text(*reached) : units::in(units.time, *summary.median_ns)) +
         (is_unsteady_rung(summary) ? " ?" : "");
}

/// Of the rate: the interval of the time, turned over.
std::string rate_interval(const Rung& rung, const SharedUnits& units) {
  if (!rung.summary || !rung.summary->interval_ns) return "";
  const stats::Interval& ns = *rung.summary->interval_ns;
  const std::optional<Rate> reached = rate(*rung.summary);
  if (!reached) return units::range_in(units.time, ns.low, ns.high);
  const double work = reached->value * *rung.summary->median_ns;
  return units::range_in(units.rates.at(reached->quantity), work / ns.high, work / ns.low);
}

std::string share_text(const Rung& rung) {
  if (!rung.summary || !rung.summary->share_of_roof) return "";
  return units::percent(*rung.summary->share_of_roof) + (rung.summary->beats_roof ? " !!" : "");
}

RungWords words_of_rung(const Rung& rung, const std::string& label, const SharedUnits& units) {
  return {label,
          rate_text(rung, units),
          rate_interval(rung, units),
          gain_text(rung.over_before),
          gain_text(rung.over_reference),
          share_text(rung),
          rung.summary ? printable(rung.summary->case_info.idea, 400) : ""};
}

/// Takes away the columns in which no row has anything, and the rows that have nothing but a name.
void drop_empty(WordTable& table) {
  auto& [columns, rows] = table;
  std::erase_if(rows, [](const Cells& row) {
    return std::all_of(row.begin() + 1, row.end(), [](const auto& cell) { return cell.empty(); });
  });
  for (std::size_t i = columns.size(); i-- > 1;) {
    if (!std::ranges::all_of(rows, [i](const Cells& row) { return row[i].empty(); })) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    columns.erase(columns.begin() + at);
    for (Cells& row : rows) row.erase(row.begin() + at);
  }
}

/// What the case keeps up without a pause: its rate in the time that an execution then takes.
std::string sustained_rate(const CaseSummary& summary, const SharedUnits& units) {
  const std::optional<double> ns = metric(summary.metrics, "sustained_time");
  std::optional<Rate> reached = rate(summary);
  if (!ns || !summary.median_ns) return "";
  if (!reached) return units::in(units.time, *ns);
  reached->value *= *summary.median_ns / *ns;
  return units.text(*reached);
}

Cells device_cells(const CaseSummary& summary, const std::string& label, const SharedUnits& units,
                   std::size_t counters) {
  const auto number = [&](const char* name) {
    const std::optional<double> value = metric(summary.metrics, name);
    return value ? counted(*value) : "";
  };
  const auto in = [&](const char* name, const units::Unit& unit) {
    const std::optional<double> value = metric(summary.metrics, name);
    return value ? units::in(unit, *value) : "";
  };
  const auto whole = [&](const char* name, const char* unit) {
    const std::optional<double> value = metric(summary.metrics, name);
    return value ? fmt::format("{:.0f} {}", *value, unit) : "";
  };
  Cells row{label,
            sustained_rate(summary, units),
            whole("sustained_sm_clock", "MHz"),
            whole("sustained_power", "W"),
            in("energy", {"J", 1}),
            in("flops_per_joule", {"GFLOP/J", 1e9})};
  Cells hardware = hardware_cells(summary);
  hardware.resize(counters);
  row.insert(row.end(), hardware.begin(), hardware.end());
  row.push_back(number("hardware_warp_instructions"));
  row.push_back(number("hardware_shared_wavefronts"));
  return row;
}

}  // namespace

std::vector<const CaseSummary*> summaries_of(const ClimbedLadder& climbed) {
  std::vector<const CaseSummary*> found;
  for (const auto* side : {&climbed.rungs, &climbed.references})
    for (const Rung& rung : *side)
      if (rung.summary) found.push_back(&*rung.summary);
  return found;
}

std::vector<RungWords> rung_words(const ClimbedLadder& climbed) {
  const SharedUnits units(summaries_of(climbed));
  const auto names = labels(climbed);
  std::vector<RungWords> words;
  for (const auto* side : {&climbed.rungs, &climbed.references})
    for (const Rung& rung : *side) words.push_back(words_of_rung(rung, names.at(rung.name), units));
  return words;
}

std::optional<RungWords> last_rung_words(const ClimbedLadder& climbed) {
  const auto last = std::find_if_not(climbed.rungs.rbegin(), climbed.rungs.rend(), is_out_of_reach);
  if (last == climbed.rungs.rend() || !last->summary) return std::nullopt;
  return words_of_rung(*last, labels(climbed).at(last->name), SharedUnits({&*last->summary}));
}

std::string reference_label(const ClimbedLadder& climbed) {
  return climbed.reference ? labels(climbed).at(climbed.references[*climbed.reference].name) : "";
}

WordTable device_words(const ClimbedLadder& climbed) {
  const auto names = labels(climbed);
  const SharedUnits units(summaries_of(climbed));
  WordTable table{{{"rung"},
                   {"sustained", Align::right},
                   {"SM clock", Align::right},
                   {"power", Align::right},
                   {"energy", Align::right},
                   {"per joule", Align::right, true}},
                  {}};
  const std::vector<Table::Column> counters = hardware_columns();
  table.columns.insert(table.columns.end(), counters.begin(), counters.end());
  table.columns.push_back({"instructions", Align::right, true});
  table.columns.push_back({"shared wavefronts", Align::right, true});
  for (const CaseSummary* one : summaries_of(climbed))
    table.rows.push_back(
        device_cells(*one, names.at(record::name(one->case_info.id)), units, counters.size()));
  drop_empty(table);
  return table;
}

}  // namespace ridgeline::present
