#include "harness/present/peer_pairs.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "harness/analysis/roofline.hpp"
#include "harness/analysis/summary.hpp"
#include "harness/base/text.hpp"
#include "harness/present/report_data.hpp"
#include "harness/store/siblings.hpp"

namespace ridgeline::present {
namespace {

constexpr std::size_t most_gpus = 64;  // of a host, whatever a file says

std::string fact(const record::Facts& facts, const char* name) {
  const auto found = facts.find(name);
  return found == facts.end() ? std::string() : found->second;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; words.size() < most_gpus && stream >> word;) words.push_back(word);
  return words;
}

/// A field of the problem; empty where there is none.
std::string field(const record::CaseId& id, std::string_view key) {
  const auto found = std::ranges::find(id.problem, key, &record::Field::key);
  return found == id.problem.end() ? std::string() : found->value;
}

/// Of a name that anybody may have written; absent for what is no whole number from 1 on.
std::optional<std::int64_t> number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = failure == std::errc() && end == text.data() + text.size();
  return whole && value > 0 && value < (std::int64_t{1} << 50) ? std::optional(value)
                                                               : std::nullopt;
}

using Key = std::tuple<std::string, std::string, double>;  // variant, direction, bytes one way
using Pairs = std::map<Key, std::vector<analysis::PeerPair>>;

/// What the GPU of one run does with its peers.
struct PairsOfRun {
  std::vector<std::string> gpus;  // its own, then the others by their distance
  std::string host, roof_source;
  Pairs pairs;
};

/// `device` is its GPU, `facts` what its environment records.
PairsOfRun pairs_of(const record::Run& run, const std::string& device, const record::Facts& facts,
                    const std::vector<record::Roof>& roofs,
                    const std::vector<store::StoredMeasurement>& measurements,
                    const std::vector<std::string>& patterns) {
  PairsOfRun all{words_of(fact(facts, "peers")), fact(facts, "host"), {}, {}};
  all.gpus.insert(all.gpus.begin(), device);
  for (const analysis::CaseSummary& summary :
       analysis::summarise(store::of_suite("peers", measurements), roofs, run.unstable)) {
    const record::CaseId& id = summary.case_info.id;
    const auto distance = number(field(id, "peer")), elements = number(field(id, "elements"));
    const bool has_time =
        summary.outcome == record::Outcome::ok || summary.outcome == record::Outcome::unstable;
    if (!has_time || summary.medians_ns.empty() || !summary.bytes || !(*summary.bytes > 0) ||
        !distance || !elements || static_cast<std::size_t>(*distance) >= all.gpus.size() ||
        !any_matches(patterns, record::name(id)))
      continue;
    const std::string direction = field(id, "direction");
    const record::Roof* roof = analysis::highest_roof("link." + direction, roofs);
    analysis::PeerPair pair{.gpu = all.gpus.front(),
                            .peer = all.gpus[static_cast<std::size_t>(*distance)],
                            .bytes = *summary.bytes,
                            .medians_ns = summary.medians_ns};
    pair.is_unstable = summary.outcome == record::Outcome::unstable;
    if (roof != nullptr) {
      pair.roof = roof->value;
      all.roof_source = roof->source;
    }
    all.pairs[{id.variant, direction, 4 * static_cast<double>(*elements)}].push_back(
        std::move(pair));
  }
  return all;
}

PairsOfRun pairs_of(const store::FoundRun& found, const std::vector<std::string>& patterns) {
  store::Store store = store::Store::open(found.file);
  const record::Run& run = found.summary.run;
  return pairs_of(run, found.summary.device.id, store::environment(store, run.id).recorded,
                  store::roofs(store, run.id),
                  store::measurements(store, run.id, store::Samples::leave_out), patterns);
}

/// Without patterns, the largest copies of each variant and direction alone.
Pairs chosen(Pairs pairs, bool has_patterns) {
  if (has_patterns) return pairs;
  std::map<std::pair<std::string, std::string>, double> largest;
  for (const auto& [key, of_key] : pairs) {
    double& bytes = largest[{std::get<0>(key), std::get<1>(key)}];
    bytes = std::max(bytes, std::get<2>(key));
  }
  std::erase_if(pairs, [&](const auto& each) {
    const auto& [variant, direction, bytes] = each.first;
    return bytes < largest.at({variant, direction});
  });
  return pairs;
}

/// Of the host of the first of `runs` that has pairs, the first such run of each GPU. `read` reads
/// the pairs of one, where it can.
PairMatrices matrices_of(
    const std::vector<store::FoundRun>& runs, const std::vector<std::string>& patterns,
    const std::function<std::optional<PairsOfRun>(const store::FoundRun&)>& read) {
  PairMatrices all;
  std::set<std::string> gpus;
  Pairs pairs;
  for (const store::FoundRun& found : runs) {
    const std::string& gpu = found.summary.device.id;
    if (!found.summary.run.gate.empty() || found.summary.device.kind != DeviceKind::cuda ||
        gpus.contains(gpu))
      continue;
    std::optional<PairsOfRun> of_run = read(found);
    if (!of_run || of_run->pairs.empty()) continue;
    std::vector<std::string> in_order = of_run->gpus;
    std::ranges::sort(in_order, {}, [](const std::string& id) { return std::pair(id.size(), id); });
    if (all.runs.empty()) {
      all.host = of_run->host;
      all.gpus = in_order;
    } else if (of_run->host != all.host || in_order != all.gpus) {
      continue;  // another host, or this one with other GPUs
    }
    gpus.insert(gpu);
    all.runs.push_back(found.summary.run.id);
    if (all.roof_source.empty()) all.roof_source = of_run->roof_source;
    for (auto& [key, of_key] : of_run->pairs)
      std::ranges::move(of_key, std::back_inserter(pairs[key]));
  }
  pairs = chosen(std::move(pairs), !patterns.empty());
  std::size_t compared = 0;
  for (const auto& [key, of_key] : pairs) compared += of_key.size();
  for (auto& [key, of_key] : pairs) {
    analysis::compare_pairs(of_key, compared);
    all.matrices.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), of_key});
  }
  return all;
}

}  // namespace

PairMatrices find_pairs(const std::filesystem::path& results,
                        const std::vector<std::string>& patterns, const store::LeftOut& left_out) {
  return matrices_of(store::all_runs(results, left_out), patterns, [&](const auto& found) {
    return store::unless_unreadable(left_out, [&] { return pairs_of(found, patterns); });
  });
}

PairMatrices find_pairs(const store::FoundRun& found, const ReportRun& read,
                        const std::vector<store::FoundRun>& all, const store::LeftOut& left_out) {
  const PairsOfRun own = pairs_of(read.run, read.device.id, read.environment.recorded, read.roofs,
                                  read.measurements, {});
  if (own.pairs.empty()) return {};  // the first of its siblings would take its place
  std::vector<store::FoundRun> runs{found};
  for (store::FoundRun& sibling : store::siblings(found, all, left_out))
    runs.push_back(std::move(sibling));
  return matrices_of(runs, {}, [&](const store::FoundRun& one) -> std::optional<PairsOfRun> {
    if (one.summary.run.id == read.run.id) return own;
    return store::unless_unreadable(left_out, [&] { return pairs_of(one, {}); });
  });
}

}  // namespace ridgeline::present
