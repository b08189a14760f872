#include "harness/present/collective_rows.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/asked_device.hpp"
#include "harness/present/collective_time.hpp"
#include "harness/present/table.hpp"
#include "harness/present/wrapped.hpp"

namespace ridgeline::present {
namespace {

using analysis::CaseSummary;

/// Of operations whose rows have any length, so without mode and calls.
SeriesKey operation_key(const std::string& model, CollectiveCase of) {
  of.mode.clear();
  of.calls = 1;
  return series_key(model, of);
}

void complete(RowsOfOperation& operation) {
  for (RowsOfSize& size : operation.sizes) {
    if (size.by_calls.size() < 2) continue;
    const auto longest = std::prev(size.by_calls.end()), next = std::prev(longest);
    // One call alone is no row: all ranks meet before it.
    if (next->first > 1 && is_ok(next->second) && is_ok(longest->second))
      size.costs = analysis::call_costs({next->second, static_cast<double>(next->first)},
                                        {longest->second, static_cast<double>(longest->first)});
  }
  std::erase_if(operation.sizes, [](const RowsOfSize& size) { return !size.costs; });
  std::ranges::sort(operation.sizes, {}, &RowsOfSize::bytes);
}

std::map<SeriesKey, RowsOfOperation> rows_of(const store::FoundRun& found,
                                             const std::vector<std::string>& patterns) {
  const record::Run& run = found.summary.run;
  std::map<SeriesKey, RowsOfOperation> operations;
  for (CaseSummary& summary : analysis::summarise(
           store::measurements(store::Store::open(found.file), run.id, store::Samples::leave_out),
           {}, run.unstable)) {
    const auto of = collective_case(summary.case_info.id);
    if (!of || !of->choice.empty() || !any_matches(patterns, record::name(summary.case_info.id)))
      continue;
    const std::string& model = found.summary.device.model;
    RowsOfOperation& operation =
        operations.try_emplace(operation_key(model, *of), RowsOfOperation{run.id, model, *of, {}})
            .first->second;
    auto size = std::ranges::find(operation.sizes, of->bytes, &RowsOfSize::bytes);
    if (size == operation.sizes.end()) size = operation.sizes.insert(size, {of->bytes, {}, {}});
    size->by_calls.emplace(of->calls, std::move(summary));
  }
  for (auto& [key, operation] : operations) complete(operation);
  std::erase_if(operations, [](const auto& each) { return each.second.sizes.empty(); });
  return operations;
}

/// "all_reduce in_place=yes, 2 ranks, nccl, f32"
std::string operation_text(const CollectiveCase& of) {
  return fmt::format("{}{}{}, {} ranks, {}, {}", of.operation, of.options.empty() ? "" : " ",
                     of.options, of.ranks, of.variant, of.dtype);
}

}  // namespace

std::vector<RowsOfOperation> find_rows(const std::filesystem::path& results,
                                       const CurveChoice& choice, const store::LeftOut& left_out) {
  std::map<SeriesKey, RowsOfOperation> newest;
  for (const store::FoundRun& found : store::all_runs(results, left_out)) {
    if (!found.summary.run.gate.empty() || !is_asked_for(found.summary.device, choice.device))
      continue;
    auto rows = store::unless_unreadable(left_out, [&] { return rows_of(found, choice.patterns); });
    if (rows) newest.merge(*rows);
  }
  std::vector<RowsOfOperation> operations;
  for (auto& [key, operation] : newest) operations.push_back(std::move(operation));
  return operations;
}

std::string rows_text(const std::vector<RowsOfOperation>& operations, std::size_t width) {
  using Align = Table::Align;
  std::set<int> lengths;
  for (const RowsOfOperation& operation : operations)
    for (const RowsOfSize& size : operation.sizes)
      for (const auto& [calls, summary] : size.by_calls) lengths.insert(calls);
  std::vector<Table::Column> columns{{"bytes", Align::right}};
  for (const int calls : lengths)
    columns.push_back({calls == 1 ? "alone" : fmt::format("of {}", calls), Align::point});
  columns.push_back({"each further", Align::point});
  columns.push_back({"95% interval", Align::right});
  columns.push_back({"once per row", Align::point});
  Table table(std::move(columns));
  bool lacks_interval = false;
  for (const RowsOfOperation& operation : operations) {
    table.heading(printable(fmt::format("{}, run {}: {}", operation.model, operation.run,
                                        operation_text(operation.of))));
    for (const RowsOfSize& size : operation.sizes) {
      std::vector<std::string> cells{units::bytes(size.bytes)};
      for (const int calls : lengths) {
        const auto found = size.by_calls.find(calls);
        cells.push_back(found == size.by_calls.end() ? "" : time_cell(found->second));
      }
      cells.push_back(units::time(size.costs->each_ns));
      const auto& interval = size.costs->each_95_ns;
      cells.push_back(interval ? units::time_range(interval->low, interval->high) : "none");
      lacks_interval = lacks_interval || !interval;
      cells.push_back(units::time(size.costs->once_ns));
      table.add(std::move(cells));
    }
  }
  return table.text(width) +
         (lacks_interval
              ? wrapped("Without an interval: it takes three processes of both rows.", width, 0)
              : "");
}

json::Value to_json(const RowsOfOperation& operation) {
  const CollectiveCase& of = operation.of;
  json::Value all{{"op", of.operation},      {"options", of.options}, {"variant", of.variant},
                  {"dtype", of.dtype},       {"ranks", of.ranks},     {"run", operation.run},
                  {"model", operation.model}};
  all["sizes"] = json::list(operation.sizes, [](const RowsOfSize& size) {
    const analysis::CallCosts& costs = *size.costs;
    json::Value told{
        {"bytes", size.bytes},
        {"each_ns", costs.each_ns},
        {"once_ns", costs.once_ns},
        {"rows", json::list(size.by_calls, [](const auto& row) {
           const auto& [calls, summary] = row;
           json::Value one{{"calls", calls}, {"outcome", record::to_string(summary.outcome)}};
           if (summary.median_ns) one["ns_per_call"] = *summary.median_ns;
           return one;
         })}};
    if (const auto& interval = costs.each_95_ns)
      told["each_interval"] = {{"low", interval->low}, {"high", interval->high}};
    return told;
  });
  return all;
}

}  // namespace ridgeline::present
