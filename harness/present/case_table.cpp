#include "harness/present/case_table.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/rate.hpp"
#include "harness/present/run_text.hpp"
#include "harness/present/short_names.hpp"
#include "harness/present/table.hpp"
#include "harness/present/vouched.hpp"

namespace ridgeline::present {
namespace {

using analysis::CaseSummary;
using record::Outcome;
using Summaries = std::vector<const CaseSummary*>;

constexpr std::size_t longest_name = 400, longest_reason = 1000;
constexpr std::size_t named_in_full = 3;  // cases that share a reason

using Align = Table::Align;

std::vector<Table::Column> columns_of_times() {
  return {{"case"},
          {"median", Align::point},
          {"95% interval", Align::right, false, true},
          {"rate", Align::point, false, true},
          {"of roof", Align::right, false, true},
          {"outcome"}};
}

std::vector<std::string> times(const CaseSummary& summary, const SharedUnits& units) {
  const std::optional<Rate> reached = rate(summary);
  return {summary.median_ns ? units::in(units.time, *summary.median_ns) : "",
          summary.interval_ns
              ? units::range_in(units.time, summary.interval_ns->low, summary.interval_ns->high)
              : "",
          reached ? units.text(*reached) : "",
          summary.share_of_roof ? units::percent(*summary.share_of_roof) : ""};
}

/// Of an emulated device's cases: what they ask of memory, and no time.
std::vector<Table::Column> columns_of_counts() {
  return {{"case"},
          {"requests", Align::right},
          {"sectors/request", Align::right},
          {"wavefronts/request", Align::right, false, true},
          {"moved", Align::right},
          {"outcome"}};
}

std::vector<std::string> counts(const CaseSummary& summary) {
  const auto of = [&](std::string_view name) { return metric(summary.metrics, name).value_or(0); };
  const double requests = of("global_load_requests") + of("global_store_requests");
  const double sectors = of("global_load_sectors") + of("global_store_sectors");
  const auto moved = metric(summary.metrics, "global_moved_bytes");
  const auto wavefronts = metric(summary.metrics, "shared_wavefronts_per_request");
  return {metric(summary.metrics, "global_load_requests") ? fmt::format("{:.0f}", requests) : "",
          requests > 0 ? units::plain(sectors / requests) : "",
          wavefronts ? units::plain(*wavefronts) : "", moved ? units::bytes(*moved) : ""};
}

std::string outcome(const CaseSummary& summary, const Look& look) {
  const std::string_view word = record::to_string(summary.outcome);
  std::string text(word);
  if (record::is_failure(summary.outcome))
    text = coloured(look, Colour::red, word);
  else if (record::is_success(summary.outcome))
    text = coloured(look, Colour::green, word);
  else if (record::has_samples(summary.outcome))
    text = coloured(look, Colour::yellow, word);
  return summary.beats_roof ? text + " !!" : text;
}

/// Cases of one outcome and reason.
using Reasons = std::map<std::pair<Outcome, std::string>, Summaries>;

Reasons reasons_of(const std::vector<CaseSummary>& summaries) {
  Reasons reasons;
  for (const CaseSummary& summary : summaries)
    if (!summary.reason.empty()) reasons[{summary.outcome, summary.reason}].push_back(&summary);
  return reasons;
}

bool is_shared(const Reasons& reasons, const CaseSummary& summary) {
  const auto found = reasons.find({summary.outcome, summary.reason});
  return found != reasons.end() && found->second.size() > 1;
}

bool has_row(const Reasons& reasons, const CaseSummary& summary) {
  const bool nothing_to_show = !record::is_success(summary.outcome) &&
                               !record::has_samples(summary.outcome) &&
                               !record::is_failure(summary.outcome);
  return !nothing_to_show || !is_shared(reasons, summary);
}

std::vector<std::pair<std::string, Summaries>> by_suite(const Summaries& cases) {
  std::vector<std::pair<std::string, Summaries>> suites;
  for (const CaseSummary* summary : cases) {
    const std::string& suite = summary->case_info.id.suite;
    auto found = std::ranges::find(suites, suite, &std::pair<std::string, Summaries>::first);
    if (found == suites.end()) found = suites.insert(suites.end(), {suite, {}});
    found->second.push_back(summary);
  }
  return suites;
}

ShortNames names_of(const Summaries& cases) {
  std::vector<record::CaseId> ids;
  for (const CaseSummary* summary : cases) ids.push_back(summary->case_info.id);
  return short_names(ids);
}

/// "214 unsupported: needs 2 or more GPUs", then the cases: few by their names, many by what they
/// have in common.
std::string shared_reasons(const Reasons& reasons, const Look& look) {
  std::string text;
  for (const auto& [what, cases] : reasons) {
    if (cases.size() < 2) continue;
    text += wrapped(fmt::format("{} {}: {}", cases.size(), record::to_string(what.first),
                                printable(what.second, longest_reason)),
                    look.width, 2);
    const auto line = [&](const std::string& of) {
      text += "  " + wrapped(printable(of, longest_name), look.width, 4, 2);
    };
    if (cases.size() <= named_in_full) {
      for (const CaseSummary* summary : cases) line(record::name(summary->case_info.id));
      continue;
    }
    for (const auto& [suite, those] : by_suite(cases)) {
      const ShortNames names = names_of(those);
      line(those.size() == 1 ? fmt::format("{}/{}", names.common, names.names.front())
                             : fmt::format("{} of {}", those.size(), names.common));
    }
  }
  return text;
}

}  // namespace

std::string case_table(const std::vector<CaseSummary>& summaries, const Look& look) {
  const bool counted =
      !summaries.empty() && summaries.front().case_info.device_kind == DeviceKind::emulated;
  const Reasons reasons = reasons_of(summaries);
  Summaries rows;
  for (const CaseSummary& summary : summaries)
    if (has_row(reasons, summary)) rows.push_back(&summary);
  Table table(counted ? columns_of_counts() : columns_of_times());
  for (const auto& [suite, cases] : by_suite(rows)) {
    const ShortNames names = names_of(cases);
    const SharedUnits units(cases);
    table.heading(printable(names.common, longest_name));
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const CaseSummary& summary = *cases[i];
      std::vector<std::string> cells = counted ? counts(summary) : times(summary, units);
      cells.insert(cells.begin(), printable(names.names[i], longest_name));
      cells.push_back(outcome(summary, look));
      table.add(std::move(cells));
      if (!summary.reason.empty() && !is_shared(reasons, summary))
        table.note(printable(summary.reason, longest_reason));
    }
  }
  std::string text = table.empty() ? "" : table.text(look.width);
  const std::string shared = shared_reasons(reasons, look);
  if (!shared.empty()) text += (text.empty() ? "" : "\n") + shared;
  if (const std::string above = above_roof(summaries); !above.empty())
    text += fmt::format("\n{}", wrapped("!! " + above, look.width, 3));
  return text;
}

std::string above_roof(const std::vector<CaseSummary>& summaries) {
  const std::vector<std::string> names = names_above_roof(summaries);
  if (names.empty()) return {};
  constexpr std::size_t most = 5;
  std::string listed;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
    listed += (i == 0 ? "" : ", ") + printable(names[i], longest_name);
  if (names.size() > most) listed += fmt::format(" and {} more", names.size() - most);
  return fmt::format("{} above {} roof, a measuring error: {}",
                     units::plural(std::ssize(names), "case"), names.size() == 1 ? "its" : "their",
                     listed);
}

std::vector<std::string> names_above_roof(const std::vector<CaseSummary>& summaries) {
  std::vector<std::string> names;
  for (const CaseSummary& summary : summaries)
    if (summary.beats_roof) names.push_back(record::name(summary.case_info.id));
  return names;
}

json::Value to_json(const CaseSummary& summary) {
  json::Value object{{"case", record::name(summary.case_info.id)},
                     {"outcome", record::to_string(summary.outcome)},
                     {"reason", summary.reason},
                     {"processes", summary.medians_ns.size()}};
  json::put(object, "median_ns", summary.median_ns);
  if (summary.interval_ns)
    object["interval_ns"] = {summary.interval_ns->low, summary.interval_ns->high};
  json::put(object, "flop_rate", summary.flop_rate);
  json::put(object, "byte_rate", summary.byte_rate);
  json::put(object, "share_of_roof", summary.share_of_roof);
  json::put(object, "roof", summary.roof);
  if (summary.beats_roof) object["beats_roof"] = true;
  put_vouched(object, summary);
  if (!summary.metrics.empty())
    object["metrics"] = json::list(summary.metrics, [](const record::Metric& metric) {
      return json::Value{{"name", metric.name}, {"value", metric.value}, {"unit", metric.unit}};
    });
  return object;
}

std::string outcome_counts(const std::vector<CaseSummary>& summaries) {
  std::map<Outcome, std::int64_t> counts;
  for (const CaseSummary& summary : summaries) ++counts[summary.outcome];
  return outcome_counts(counts);
}

}  // namespace ridgeline::present
