#include "harness/present/short_names.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ridgeline::present {
namespace {

using record::CaseId;
using record::Field;

std::vector<Field> fields_of(const CaseId& id) {
  std::vector<Field> fields = id.problem;
  fields.insert(fields.end(), id.options.begin(), id.options.end());
  return fields;
}

/// The fields of all cases, in the order of their first appearance; without a value where it
/// differs.
struct CommonField {
  std::string key;
  std::optional<std::string> value;
};

std::vector<CommonField> common_fields(const std::vector<CaseId>& cases) {
  std::vector<CommonField> common;
  for (const CaseId& id : cases)
    for (const Field& field : fields_of(id))
      if (std::ranges::find(common, field.key, &CommonField::key) == common.end())
        common.push_back({field.key, field.value});
  for (CommonField& each : common)
    for (const CaseId& id : cases) {
      const std::vector<Field> fields = fields_of(id);
      const auto own = std::ranges::find(fields, each.key, &Field::key);
      if (own == fields.end() || own->value != each.value) each.value.reset();
    }
  return common;
}

}  // namespace

ShortNames short_names(const std::vector<CaseId>& cases) {
  if (cases.empty()) return {};
  const CaseId& first = cases.front();
  if (cases.size() == 1) return {first.suite, {record::name(first).substr(first.suite.size() + 1)}};
  const auto all_have = [&](std::string CaseId::*part) {
    return std::ranges::all_of(cases, [&](const CaseId& id) { return id.*part == first.*part; });
  };
  const bool same_variant = all_have(&CaseId::variant), same_dtype = all_have(&CaseId::dtype);
  const std::vector<CommonField> common = common_fields(cases);

  std::vector<std::string> shown;  // common fields, with one * for all between two of them
  for (const CommonField& field : common) {
    const std::string text = field.value ? fmt::format("{}={}", field.key, *field.value) : "*";
    if (text != "*" || shown.empty() || shown.back() != "*") shown.push_back(text);
  }
  ShortNames names;
  names.common =
      fmt::format("{}/{}/{}{}{}", first.suite, same_variant ? first.variant : "*",
                  same_dtype ? first.dtype : "*", shown.empty() ? "" : "/", fmt::join(shown, ","));
  for (const CaseId& id : cases) {
    std::vector<std::string> parts, fields;
    if (!same_variant) parts.push_back(id.variant);
    if (!same_dtype) parts.push_back(id.dtype);
    for (const Field& field : fields_of(id))
      if (const auto found = std::ranges::find(common, field.key, &CommonField::key); !found->value)
        fields.push_back(fmt::format("{}={}", field.key, field.value));
    if (!fields.empty()) parts.push_back(fmt::format("{}", fmt::join(fields, ",")));
    if (parts.empty()) parts.push_back("(plain)");  // where others have an option
    names.names.push_back(fmt::format("{}", fmt::join(parts, "/")));
  }
  return names;
}

}  // namespace ridgeline::present
