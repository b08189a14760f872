#include "harness/present/collective_case.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include <fmt/core.h>

namespace ridgeline::present {
namespace {

std::string value_of(const std::vector<record::Field>& fields, std::string_view key) {
  const auto found = std::ranges::find(fields, key, &record::Field::key);
  return found == fields.end() ? std::string() : found->value;
}

}  // namespace

std::optional<double> number_in(const std::vector<record::Field>& fields, std::string_view key) {
  const std::string text = value_of(fields, key);
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = failure == std::errc() && end == text.data() + text.size();
  return whole && value > 0 && value < 1e18 ? std::optional(value) : std::nullopt;
}

std::optional<CollectiveCase> collective_case(const record::CaseId& id) {
  const auto bytes = number_in(id.problem, "bytes"), ranks = number_in(id.problem, "ranks"),
             calls = number_in(id.problem, "calls");
  if (id.suite != "collectives" || !bytes || !ranks || !calls || *ranks > 1e6 || *calls > 1e6)
    return std::nullopt;
  CollectiveCase found{
      id.variant, id.dtype, value_of(id.problem, "op"), value_of(id.problem, "mode"),
      {},         {},       static_cast<int>(*ranks),   static_cast<int>(*calls),
      *bytes};
  for (const auto& [key, value] : id.options)
    if (key == "algorithm" || key == "protocol")
      found.choice += fmt::format("{}{}", found.choice.empty() ? "" : " ", value);
    else
      found.options += fmt::format("{}{}={}", found.options.empty() ? "" : ",", key, value);
  return found;
}

std::string series_text(const CollectiveCase& of) {
  const std::string row = of.calls > 1 ? fmt::format(", {} calls", of.calls) : "";
  return fmt::format("{}{}{}, {} ranks, {}{}, {}, {}", of.operation, of.options.empty() ? "" : " ",
                     of.options, of.ranks, of.mode, row, of.variant, of.dtype);
}

json::Value series_json(const CollectiveCase& of) {
  return {{"op", of.operation}, {"options", of.options}, {"variant", of.variant},
          {"dtype", of.dtype},  {"ranks", of.ranks},     {"mode", of.mode},
          {"calls", of.calls}};
}

SeriesKey series_key(const std::string& model, const CollectiveCase& of) {
  return {model, of.operation, of.options, of.variant, of.ranks, of.mode, of.calls, of.dtype};
}

}  // namespace ridgeline::present
