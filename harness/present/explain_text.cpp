#include <fmt/format.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/explain.hpp"
#include "harness/present/explain_words.hpp"
#include "harness/present/wrapped.hpp"

namespace ridgeline::present {
namespace {

using analysis::Usage;

/// Lines below a title; empty without any.
std::string titled(const char* title, const std::vector<std::string>& lines, std::size_t width) {
  if (lines.empty()) return "";
  std::string text = fmt::format("{}\n", title);
  for (const std::string& line : lines) text += "  " + wrapped(line, width, 4, 2);
  return text;
}

std::string head_of(const ExplainedRun& run, const ExplainedCase& one, std::size_t width) {
  const analysis::CaseSummary& summary = one.summary;
  std::string text = wrapped(printable(record::name(summary.case_info.id), 400), width, 2);
  if (!summary.case_info.idea.empty())
    text += wrapped(printable(summary.case_info.idea, 400), width, 0);
  text += wrapped(fmt::format("on {} ({}), run {}", printable(run.device.name),
                              printable(run.device.model), printable(run.run.id)),
                  width, 0);
  std::string came_to(record::to_string(summary.outcome));
  if (summary.median_ns) {
    came_to += ", " + units::time(*summary.median_ns);
    if (summary.interval_ns)
      came_to += fmt::format(
          " ({})", units::time_range(summary.interval_ns->low, summary.interval_ns->high));
  }
  return text + wrapped(came_to, width, 0) + "\n";
}

std::string case_text(const ExplainedRun& run, const ExplainedCase& one, std::size_t width) {
  const DeviceKind kind = run.device.kind;
  const ExplainWords words = explain_words(one, run.device);
  std::string text = head_of(run, one, width) + wrapped(words.conclusion, width, 0);
  Table table(usage_columns());
  for (const Usage& usage : one.explanation.usages) table.add(usage_cells(usage, kind));
  if (!table.empty()) text += "\n" + table.text(width);
  std::vector<std::string> unknown, settle;
  for (const analysis::UnknownUsage& left : one.explanation.unknown)
    unknown.push_back(
        fmt::format("{}: {}", resource_name(left.resource, kind), printable(left.why)));
  std::string below =
      titled("not known", unknown, width) + titled("how far", words.distance, width) +
      titled("doubts", words.doubts, width) + titled("the device", words.device, width) +
      titled("ladders", words.ladders, width);
  if (!one.settle.empty()) below += "to learn more\n";
  for (const Settling& settling : one.settle)  // whole, to be copied
    below += fmt::format("  {}\n      {}\n", printable(settling.command, 4000), settling.shows);
  return text + (below.empty() ? "" : "\n" + below);
}

json::Value usage_json(const Usage& usage) {
  json::Value object{{"resource", to_string(usage.resource)},
                     {"share", usage.share},
                     {"limit", to_string(usage.limit)},
                     {"amount", usage.amount},
                     {"unit", usage.unit},
                     {"amount_by", to_string(usage.amount_by)},
                     {"rate", usage.rate},
                     {"rate_of", usage.rate_of}};
  json::put(object, "rate_source", usage.rate_source);
  return object;
}

json::Value next_json(const NextRung& next) {
  json::Value object{{"ladder", next.ladder}};
  json::put(object, "next", next.name);
  json::put(object, "reference", next.reference);
  if (const auto& gain = next.name.empty() ? next.over_reference : next.gain) {
    object["ratio"] = gain->ratio;
    if (gain->interval) object["interval"] = {gain->interval->low, gain->interval->high};
  }
  if (next.explanation) object["conclusion"] = to_string(next.explanation->conclusion);
  return object;
}

}  // namespace

std::string explained_text(const std::vector<ExplainedRun>& runs, std::size_t width) {
  std::string text;
  for (const ExplainedRun& run : runs)
    for (const ExplainedCase& one : run.cases)
      text += (text.empty() ? "" : "\n") + case_text(run, one, width);
  return text;
}

json::Value to_json(const ExplainedCase& one, const record::Device& device) {
  const ExplainWords words = explain_words(one, device);
  json::Value said{{"conclusion", words.conclusion}};
  for (const auto& [key, lines] :
       {std::pair("distance", &words.distance), std::pair("doubts", &words.doubts),
        std::pair("device", &words.device), std::pair("ladders", &words.ladders)})
    if (!lines->empty()) said[key] = *lines;
  const analysis::Explanation& found = one.explanation;
  json::Value object{{"conclusion", to_string(found.conclusion)}};
  object["binding"] = json::list(found.binding, [](auto of) { return json::Value(to_string(of)); });
  object["usages"] = json::list(found.usages, [&](const Usage& usage) {
    json::Value row = usage_json(usage);
    row["words"] = usage_cells(usage, device.kind);
    return row;
  });
  object["unknown"] = json::list(found.unknown, [&](const analysis::UnknownUsage& left) {
    return json::Value{{"resource", to_string(left.resource)},
                       {"why", left.why},
                       {"words", {resource_name(left.resource, device.kind), left.why}}};
  });
  json::put(object, "bytes_over_least", found.bytes_over_least);
  json::put(object, "flops_over_own", found.flops_over_own);
  json::put(object, "occupancy", one.occupancy);
  json::put(object, "counted_run", one.counted_run);
  object["ladders"] = json::list(one.ladders, next_json);
  object["settle"] = json::list(one.settle, [](const Settling& settling) {
    return json::Value{{"command", settling.command}, {"shows", settling.shows}};
  });
  object["words"] = said;
  return object;
}

json::Value to_json(const ExplainedRun& run) {
  return {{"run", run.run.id},
          {"model", run.device.model},
          {"device_uuid", run.device.uuid},
          {"cases", json::list(run.cases, [&](const ExplainedCase& one) {
             const analysis::CaseSummary& summary = one.summary;
             json::Value object{{"case", record::name(summary.case_info.id)},
                                {"outcome", record::to_string(summary.outcome)}};
             json::put(object, "reason", summary.reason);
             json::put(object, "median_ns", summary.median_ns);
             if (const auto& interval = summary.interval_ns)
               object["interval_ns"] = {interval->low, interval->high};
             json::put(object, "share_of_roof", summary.share_of_roof);
             json::put(object, "roof", summary.roof);
             object.update(to_json(one, run.device));
             return object;
           })}};
}

}  // namespace ridgeline::present
