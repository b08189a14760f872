#include "harness/present/best_cases.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/comparison.hpp"
#include "harness/present/rate.hpp"
#include "harness/present/table.hpp"

namespace ridgeline::present {
namespace {

using analysis::CaseSummary;
using record::CaseId;

/// Of one suite, what may be the best case or what that is compared with.
using Candidates = std::vector<const CaseSummary*>;

const CaseId& id_of(const CaseSummary* one) { return one->case_info.id; }

bool may_be_best(const CaseSummary& one) {
  return record::is_success(one.outcome) && one.median_ns && one.case_info.roof.empty() &&
         !one.beats_roof;
}

/// Whether `reference` is what `id` improves on: naive, standard, or transpose_naive of
/// transpose_tiled.
bool is_first_rung(const CaseId& reference, const CaseId& id) {
  const std::string group = id.variant.substr(0, id.variant.rfind('_'));
  return reference.variant == "naive" || reference.variant == "standard" ||
         (group != id.variant && reference.variant == group + "_naive");
}

/// What tells the problem of `id` from that of `other`: "bf16, m=128".
std::string differing(const CaseId& id, const CaseId& other) {
  std::vector<std::string> parts;
  if (id.dtype != other.dtype) parts.push_back(id.dtype);
  for (const record::Field& field : id.problem)
    if (std::ranges::count(other.problem, field) == 0)
      parts.push_back(fmt::format("{}={}", field.key, field.value));
  return fmt::to_string(fmt::join(parts, ", "));
}

/// Those of `all` that `keep` says yes to.
template <class Keep>
Candidates those(const Candidates& all, const Keep& keep) {
  Candidates kept;
  std::ranges::copy_if(all, std::back_inserter(kept), keep);
  return kept;
}

/// Whether both cases have the same options. What a case's products are made of says how it
/// computes, not what.
bool same_options(const CaseId& a, const CaseId& b) {
  const auto others = [](std::vector<record::Field> options) {
    std::erase_if(options, [](const record::Field& one) { return one.key == "products"; });
    return options;
  };
  return others(a.options) == others(b.options);
}

/// Says under `key` how many times faster the variant of `best` is than the fastest reference: on
/// the problem of `best`, else on the largest that both solved, which `key`_on names.
void put_speed_up(json::Value& words, const std::string& key, const Candidates& all,
                  const CaseSummary* best, bool (*is_reference)(const CaseId&, const CaseId&)) {
  const auto references_of = [&](const CaseSummary* own) {
    return those(all, [own, is_reference](const CaseSummary* one) {
      const CaseId &a = id_of(one), &b = id_of(own);
      return is_reference(a, b) && a.variant != b.variant && a.dtype == b.dtype &&
             a.problem == b.problem && same_options(a, b);
    });
  };
  const Candidates shared = those(all, [&](const CaseSummary* one) {
    return id_of(one).variant == id_of(best).variant && !references_of(one).empty();
  });
  if (shared.empty()) return;
  const CaseSummary* own = *std::ranges::max_element(shared, {}, [&](const CaseSummary* one) {
    return std::tuple(one == best, one->flops.value_or(0), one->bytes.value_or(0));
  });
  const Candidates references = references_of(own);
  const CaseSummary* fastest = *std::ranges::min_element(references, {}, &CaseSummary::median_ns);
  words[key] = short_ratio(*fastest->median_ns / *own->median_ns) + "×";
  json::put(words, key + "_on", differing(id_of(own), id_of(best)));
}

/// Null when none has a rate.
const CaseSummary* best_of(const Candidates& all) {
  const auto is_own = [](const CaseSummary* one) { return !is_vendor(id_of(one)); };
  const bool any_own = std::ranges::any_of(all, is_own);
  const Candidates rated =
      those(all, [&](const CaseSummary* one) { return rate(*one) && is_own(one) == any_own; });
  if (rated.empty()) return nullptr;
  return *std::ranges::max_element(rated, {}, [](const CaseSummary* one) {
    const Rate reached = *rate(*one);
    return std::tuple(reached.quantity == Quantity::flop_rate, reached.value);
  });
}

json::Value best_row(const CaseSummary* best, const Candidates& all) {
  const CaseId& id = id_of(best);
  json::Value words{{"variant", fmt::format("{} {}", id.variant, id.dtype)}};
  json::put(words, "problem", differing(id, {"", "", id.dtype, {}, {}}));
  words["rate"] = text(*rate(*best));
  if (best->share_of_roof) words["share"] = units::percent(*best->share_of_roof);
  json::put(words, "roof", best->roof);
  put_speed_up(words, "over_naive", all, best, is_first_rung);
  put_speed_up(words, "over_vendor", all, best,
               [](const CaseId& reference, const CaseId&) { return is_vendor(reference); });
  return {{"suite", id.suite}, {"case", record::name(id)}, {"words", words}};
}

}  // namespace

bool is_vendor(const CaseId& id) {
  constexpr std::array libraries{"openblas", "cublas", "cublaslt", "cudnn",
                                 "cutlass",  "nccl",   "mpi"};
  return std::ranges::count(libraries, id.variant) > 0;
}

json::Value best_cases(const std::vector<CaseSummary>& summaries) {
  json::Value rows = json::Value::array();
  for (auto begin = summaries.begin(); begin != summaries.end();) {
    Candidates of_suite;
    auto one = begin;
    for (; one != summaries.end() && one->case_info.id.suite == begin->case_info.id.suite; ++one)
      if (may_be_best(*one)) of_suite.push_back(&*one);
    if (const CaseSummary* best = best_of(of_suite)) rows.push_back(best_row(best, of_suite));
    begin = one;
  }
  return rows;
}

std::string best_table(const json::Value& best) {
  std::vector<Table::Column> columns{{"suite"}, {"best case"}};
  for (const char* title : {"rate", "of roof", "over naive", "over vendor"})
    columns.push_back({title, Table::Align::right});
  Table table(std::move(columns));
  for (const json::Value& row : best.elements()) {
    const std::string &suite = row.at("suite").text(), &name = row.at("case").text();
    std::vector<std::string> cells{suite, name.substr(suite.size() + 1)};
    for (const char* key : {"rate", "share", "over_naive", "over_vendor"}) {
      const json::Value *word = row.at("words").find(key),
                        *on = row.at("words").find(fmt::format("{}_on", key));
      cells.push_back((word ? word->text() : "") + (on ? " at " + on->text() : ""));
    }
    for (std::string& cell : cells) cell = printable(cell);
    table.add(std::move(cells));
  }
  return table.empty() ? "" : table.text();
}

}  // namespace ridgeline::present
