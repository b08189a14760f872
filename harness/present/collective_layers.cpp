#include "harness/present/collective_layers.hpp"

#include <cmath>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "harness/base/dtype.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/asked_device.hpp"
#include "harness/present/table.hpp"
#include "harness/present/wrapped.hpp"

namespace ridgeline::present {
namespace {

using analysis::CaseSummary;
using analysis::LayerTime;

constexpr int calls_of_rows = 16;

/// What a layer is made of, by bytes, operation and calls.
using Parts = std::map<double, std::map<std::pair<std::string, int>, CaseSummary>>;

bool is_part(const CollectiveCase& of) {
  return of.ranks > 1 && of.options.empty() && of.choice.empty() &&
         (of.calls == 1 || of.calls == calls_of_rows) &&
         (of.operation == "all_reduce" || of.operation == "reduce_scatter" ||
          of.operation == "all_gather");
}

/// Bytes of an element; 0 for a type that is none of activations.
double element_size(const std::string& dtype) {
  for (const DType one : {DType::f32, DType::f16, DType::bf16})
    if (to_string(one) == dtype) return static_cast<double>(size_of(one));
  return 0;
}

LayerExchange exchange(const Parts::mapped_type& parts, const std::vector<std::string>& operations,
                       double layers) {
  const auto time = [&](int calls) -> std::optional<LayerTime> {
    std::vector<const CaseSummary*> kinds;
    for (const std::string& operation : operations) {
      const auto found = parts.find({operation, calls});
      if (found == parts.end()) return std::nullopt;
      kinds.push_back(&found->second);
    }
    return analysis::layer_time(kinds, layers);
  };
  return {time(1), time(calls_of_rows)};
}

std::vector<LayerOfSize> sizes_of(const Parts& parts, const CollectiveCase& of,
                                  const LayerChoice& choice) {
  const double element = element_size(of.dtype);
  std::vector<LayerOfSize> sizes;
  if (element == 0) return sizes;
  for (const double hidden : choice.hidden)
    for (const auto& [bytes, of_size] : parts) {
      const double tokens = bytes / element / hidden;
      if (tokens < 1 || tokens != std::floor(tokens)) continue;
      LayerOfSize size{hidden, tokens, bytes, exchange(of_size, {"all_reduce"}, choice.layers), {}};
      if (std::fmod(tokens, of.ranks) == 0)
        size.sequence = exchange(of_size, {"reduce_scatter", "all_gather"}, choice.layers);
      if (!size.plain.empty() || !size.sequence.empty()) sizes.push_back(size);
    }
  return sizes;
}

std::map<SeriesKey, LayersOfRanks> layers_of(const store::FoundRun& found,
                                             const LayerChoice& choice) {
  const record::Run& run = found.summary.run;
  const std::string& model = found.summary.device.model;
  std::map<SeriesKey, std::pair<CollectiveCase, Parts>> groups;
  for (CaseSummary& summary : analysis::summarise(
           store::measurements(store::Store::open(found.file), run.id, store::Samples::leave_out),
           {}, run.unstable)) {
    auto of = collective_case(summary.case_info.id);
    if (!of || !is_part(*of) ||
        !any_matches(choice.cases.patterns, record::name(summary.case_info.id)))
      continue;
    const double bytes = of->bytes;
    const std::pair<std::string, int> part{of->operation, of->calls};
    of->operation = of->mode = "";
    of->calls = 1;
    auto& group = groups.try_emplace(series_key(model, *of), *of, Parts{}).first->second;
    group.second[bytes].emplace(part, std::move(summary));
  }
  std::map<SeriesKey, LayersOfRanks> all;
  for (const auto& [key, group] : groups) {
    const auto& [of, parts] = group;
    if (std::vector<LayerOfSize> sizes = sizes_of(parts, of, choice); !sizes.empty())
      all.emplace(key, LayersOfRanks{run.id, model, of, std::move(sizes)});
  }
  return all;
}

std::string time_text(const std::optional<LayerTime>& time) {
  return time ? units::time(time->ns) + (time->is_good ? "" : " ?") : "";
}

std::string interval_text(const std::optional<LayerTime>& time) {
  if (!time) return {};
  return time->interval_ns ? units::time_range(time->interval_ns->low, time->interval_ns->high)
                           : "none";
}

void put_time(json::Value& object, const std::string& key, const std::optional<LayerTime>& time) {
  if (!time) return;
  json::Value& told = object[key] = {{"ns", time->ns}, {"good", time->is_good}};
  if (const auto& interval = time->interval_ns)
    told["interval"] = {{"low", interval->low}, {"high", interval->high}};
}

json::Value exchange_json(const LayerExchange& of) {
  json::Value object = json::Value::object();
  put_time(object, "alone", of.alone);
  put_time(object, "in_rows", of.in_rows);
  return object;
}

}  // namespace

std::vector<LayersOfRanks> find_layers(const std::filesystem::path& results,
                                       const LayerChoice& choice, const store::LeftOut& left_out) {
  std::map<SeriesKey, LayersOfRanks> newest;
  for (const store::FoundRun& found : store::all_runs(results, left_out)) {
    if (!found.summary.run.gate.empty() || !is_asked_for(found.summary.device, choice.cases.device))
      continue;
    auto layers = store::unless_unreadable(left_out, [&] { return layers_of(found, choice); });
    if (layers) newest.merge(*layers);
  }
  std::vector<LayersOfRanks> all;
  for (auto& [key, layers] : newest) all.push_back(std::move(layers));
  return all;
}

std::string layers_text(const std::vector<LayersOfRanks>& all, double layers, std::size_t width) {
  using Align = Table::Align;
  Table table({{"hidden", Align::right},
               {"tokens", Align::right},
               {"bytes", Align::right},
               {"plain", Align::point},
               {"95% interval", Align::right},
               {"in rows", Align::point},
               {"sequence", Align::point},
               {"95% interval", Align::right},
               {"in rows", Align::point}});
  bool lacks_interval = false;
  for (const LayersOfRanks& one : all) {
    table.heading(printable(fmt::format("{}, run {}: {} of {} ranks, {}, {}", one.model, one.run,
                                        units::plural(static_cast<std::int64_t>(layers), "layer"),
                                        one.of.ranks, one.of.variant, one.of.dtype)));
    for (const LayerOfSize& size : one.sizes) {
      for (const auto& time : {size.plain.alone, size.sequence.alone})
        lacks_interval = lacks_interval || (time && !time->interval_ns);
      table.add({fmt::format("{:.0f}", size.hidden), fmt::format("{:.0f}", size.tokens),
                 units::bytes(size.bytes), time_text(size.plain.alone),
                 interval_text(size.plain.alone), time_text(size.plain.in_rows),
                 time_text(size.sequence.alone), interval_text(size.sequence.alone),
                 time_text(size.sequence.in_rows)});
    }
  }
  return table.text(width) +
         wrapped(
             fmt::format("Exchange of a forward pass. plain: {0:.0f} all_reduce per layer, each "
                         "alone. sequence: {0:.0f} reduce_scatter and {0:.0f} all_gather. in "
                         "rows: the same calls in rows of {1}.",
                         analysis::collectives_per_layer, calls_of_rows),
             width, 0) +
         (lacks_interval
              ? wrapped("Without an interval: it takes three processes of each call.", width, 0)
              : "");
}

json::Value to_json(const LayersOfRanks& all) {
  return {{"model", all.model},
          {"run", all.run},
          {"variant", all.of.variant},
          {"dtype", all.of.dtype},
          {"ranks", all.of.ranks},
          {"sizes", json::list(all.sizes, [](const LayerOfSize& size) {
             return json::Value{{"hidden", size.hidden},
                                {"tokens", size.tokens},
                                {"bytes", size.bytes},
                                {"plain", exchange_json(size.plain)},
                                {"sequence", exchange_json(size.sequence)}};
           })}};
}

}  // namespace ridgeline::present
