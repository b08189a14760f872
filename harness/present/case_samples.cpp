#include "harness/present/case_samples.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <unordered_map>
#include <utility>

#include "harness/base/in_parallel.hpp"
#include "harness/store/series.hpp"

namespace ridgeline::present {
namespace {

constexpr std::size_t cases_at_once = 64;  // their samples are held together, by each thread

/// The newest results of a case that have samples, oldest first.
std::vector<const CaseResult*> sampled_results(const CaseSeries& series) {
  std::vector<const CaseResult*> found;
  for (auto one = series.results.rbegin();
       one != series.results.rend() && found.size() < most_sampled_runs; ++one)
    if (!one->sampled.empty()) found.push_back(&*one);
  std::ranges::reverse(found);
  return found;
}

/// Reads those of cases [begin, end) into `all`.
void read_samples(const DeviceHistory& history, std::size_t begin, std::size_t end,
                  std::vector<CaseSamples>& all) {
  std::vector<std::vector<std::vector<double>>> samples(end - begin);  // by case and run
  std::map<std::filesystem::path, std::unordered_map<std::int64_t, std::vector<double>*>> wanted;
  for (std::size_t i = begin; i < end; ++i) {
    const std::vector<const CaseResult*> results = sampled_results(history.cases[i]);
    std::vector<std::vector<double>>& of_case = samples[i - begin];
    of_case.resize(results.size());
    for (std::size_t k = 0; k < results.size(); ++k) {
      all[i].runs.push_back(results[k]->run);
      for (const std::int64_t id : results[k]->sampled)
        wanted[history.runs[results[k]->run].file].emplace(id, &of_case[k]);
    }
  }
  for (const auto& [file, places] : wanted) {
    std::vector<std::int64_t> ids;
    for (const auto& [id, place] : places) ids.push_back(id);
    store::series_samples(store::Store::open(file), history.device.kind, ids,
                          [&places = places](std::int64_t id, const std::vector<double>& read) {
                            std::vector<double>& to = *places.at(id);
                            to.insert(to.end(), read.begin(), read.end());
                          });
  }
  for (std::size_t i = begin; i < end; ++i) {
    std::vector<std::vector<double>>& of_case = samples[i - begin];
    // Another program may have dropped samples meanwhile.
    for (std::size_t k = of_case.size(); k-- > 0;) {
      if (!of_case[k].empty()) continue;
      of_case.erase(of_case.begin() + static_cast<std::ptrdiff_t>(k));
      all[i].runs.erase(all[i].runs.begin() + static_cast<std::ptrdiff_t>(k));
    }
    if (!of_case.empty()) all[i].bins = stats::in_shared_bins(of_case);
  }
}

}  // namespace

std::vector<CaseSamples> case_samples(const DeviceHistory& history) {
  std::vector<CaseSamples> all(history.cases.size());
  const std::size_t parts = (all.size() + cases_at_once - 1) / cases_at_once;
  if (parts == 0) return all;
  in_parallel(parts, parts, [&](std::size_t part) {
    const std::size_t begin = part * cases_at_once;
    read_samples(history, begin, std::min(begin + cases_at_once, all.size()), all);
  });
  return all;
}

}  // namespace ridgeline::present
