#include "harness/run/claims.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/text.hpp"
#include "harness/run/strict_toml.hpp"

namespace ridgeline::run {
namespace {

using analysis::Check;
using analysis::Claim;
using analysis::Quantity;

std::string filled_text(StrictTable& table, const std::string& key) {
  std::string text = table.text(key);
  if (text.empty()) table.refuse(table.need(key).source(), key + " must not be empty");
  return text;
}

/// The name of a case, or several in a list.
std::vector<std::string> named_cases(StrictTable& check, const std::string& key) {
  const toml::node& node = check.need(key);
  std::vector<std::string> names;
  const auto add = [&](const toml::node& each) {
    const auto name = each.value_exact<std::string>();
    if (!name || std::ranges::count(*name, '/') < 2 ||
        name->find_first_of("*?") != std::string::npos)
      check.refuse(each.source(), key + " must be the whole name of a case, or a list of them");
    if (std::ranges::find(names, *name) != names.end())
      check.refuse(each.source(), fmt::format("{} has {} twice", key, printable(*name, 400)));
    names.push_back(*name);
  };
  if (const toml::array* list = node.as_array())
    for (const toml::node& each : *list) add(each);
  else
    add(node);
  if (names.empty()) check.refuse(node.source(), key + " must not be empty");
  return names;
}

std::optional<double> positive(StrictTable& check, const std::string& key) {
  const toml::node* node = check.find(key);
  if (node == nullptr) return std::nullopt;
  std::optional<double> value = node->value_exact<double>();
  if (const auto whole = node->value_exact<std::int64_t>()) value = static_cast<double>(*whole);
  if (!value || !std::isfinite(*value) || *value <= 0)
    check.refuse(node->source(), key + " must be a number above 0");
  return value;
}

analysis::Border read_border(StrictTable& check) {
  analysis::Border border{.at_least = positive(check, "at_least"),
                          .at_most = positive(check, "at_most"),
                          .about = positive(check, "about")};
  const bool has_end = border.at_least || border.at_most;
  if (has_end == border.about.has_value())
    check.refuse(check.source(), "a check needs either about, or at_least or at_most or both");
  if (border.about && check.find("within") != nullptr) border.within = check.fraction("within");
  if (border.at_least && border.at_most && *border.at_least > *border.at_most)
    check.refuse(check.need("at_most").source(), "at_most must not be below at_least");
  return border;
}

std::string text_if_there(StrictTable& table, const std::string& key) {
  return table.find(key) != nullptr ? filled_text(table, key) : "";
}

Check read_check(StrictTable& table) {
  Check check;
  check.when = text_if_there(table, "when");
  if (check.missing = text_if_there(table, "missing"); !check.missing.empty()) return check;
  const auto quantity = parse<Quantity>(table.text("quantity"));
  if (!quantity) {
    std::vector<std::string_view> known;
    for (const auto& row : names(Quantity{})) known.push_back(row.name);
    table.refuse(table.need("quantity").source(), "there is no such quantity",
                 fmt::format("quantities: {}", fmt::join(known, ", ")));
  }
  check.quantity = *quantity;
  check.model = text_if_there(table, "model");
  check.of = named_cases(table, "of");
  const bool alone = *quantity == Quantity::share || *quantity == Quantity::intensity;
  if (!alone) check.over = named_cases(table, "over");
  if (!alone && *quantity != Quantity::growth)
    check.over_model = text_if_there(table, "over_model");
  if (*quantity == Quantity::share) check.peak = filled_text(table, "peak");
  if (*quantity == Quantity::growth) check.by = filled_text(table, "by");
  if (*quantity == Quantity::intensity) {
    const std::string bytes = table.text("bytes");
    if (bytes != "least" && bytes != "counted")
      table.refuse(table.need("bytes").source(), "bytes must be \"least\" or \"counted\"");
    check.counted_bytes = bytes == "counted";
  }
  check.border = read_border(table);
  return check;
}

Claim read_claim(StrictTable& table) {
  Claim claim;
  claim.title = filled_text(table, "title");
  const auto kind = parse<DeviceKind>(table.text("device"));
  if (!kind) table.refuse(table.need("device").source(), "device must be \"cuda\" or \"cpu\"");
  claim.kind = *kind;
  claim.says = filled_text(table, "says");
  claim.conditions = filled_text(table, "conditions");
  table.sections("check", [&](StrictTable& one, int) { claim.checks.push_back(read_check(one)); });
  if (claim.checks.empty()) table.refuse(table.source(), "a claim needs a [[claim.check]]");
  std::set<std::string> whens;
  for (const Check& check : claim.checks)
    if (claim.checks.size() > 1 && (check.when.empty() || !whens.insert(check.when).second))
      table.refuse(table.need("check").source(),
                   "each of several checks needs a `when` of its own");
  return claim;
}

}  // namespace

std::vector<Claim> parse_claims(std::string_view text, const std::filesystem::path& file) {
  const toml::table table = parse_toml(text, file);
  StrictTable top(table, file, "");
  std::vector<Claim> claims;
  std::set<std::pair<DeviceKind, std::string>> titles;
  top.sections("claim", [&](StrictTable& one, int) {
    claims.push_back(read_claim(one));
    if (!titles.emplace(claims.back().kind, claims.back().title).second)
      one.refuse(one.need("title").source(), "another claim has this title");
  });
  top.done();
  return claims;
}

std::vector<Claim> load_claims(const std::filesystem::path& home) {
  const std::filesystem::path file = home / "suites" / "claims.toml";
  return parse_claims(read_toml_file(file, "list of claims"), file);
}

}  // namespace ridgeline::run
