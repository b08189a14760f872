#include "harness/analysis/siblings.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "harness/record/measurement.hpp"
#include "harness/stats/distributions.hpp"

namespace ridgeline::analysis {
namespace {

using Logarithms = std::vector<std::vector<double>>;            // of medians, by device and process
using Medians = std::map<std::pair<std::string, int>, double>;  // in ns, by case and process

/// The last attempt of each process that has a time.
Medians medians_of(const store::Timings& timings) {
  Medians found;
  for (const store::Timing& timing : timings.timings)
    if (timing.median_ns && record::has_samples(timing.outcome) &&
        timings.cases[timing.case_index].roof.empty())
      found[{record::name(timings.cases[timing.case_index].id), timing.replicate}] =
          *timing.median_ns;
  return found;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

std::vector<Sibling> set_beside_each_other(const std::vector<std::string>& ids,
                                           const Logarithms& logs, double level) {
  const double devices = static_cast<double>(logs.size()),
               processes = static_cast<double>(logs.front().size());
  std::vector<double> of_device, of_process;
  for (const std::vector<double>& row : logs) of_device.push_back(mean(row));
  for (std::size_t r = 0; r < logs.front().size(); ++r) {
    double sum = 0;
    for (const std::vector<double>& row : logs) sum += row[r];
    of_process.push_back(sum / devices);
  }
  const double all = mean(of_device), freedom = (devices - 1) * (processes - 1);
  double squares = 0;
  for (std::size_t d = 0; d < logs.size(); ++d)
    for (std::size_t r = 0; r < logs[d].size(); ++r)
      squares += std::pow(logs[d][r] - of_device[d] - of_process[r] + all, 2);
  std::vector<Sibling> siblings;
  for (std::size_t d = 0; d < logs.size(); ++d) {
    const double others = (all * devices - of_device[d]) / (devices - 1),
                 difference = of_device[d] - others;
    Sibling sibling{ids[d], std::exp(difference), {}};
    if (freedom > 0) {
      const double error = std::sqrt(squares / freedom / processes * devices / (devices - 1)),
                   half = stats::student_t_quantile(1 - level / 2, freedom) * error;
      sibling.interval = {std::exp(difference - half), std::exp(difference + half)};
    }
    siblings.push_back(std::move(sibling));
  }
  return siblings;
}

std::vector<SiblingsOfSuite> compare_siblings(const std::vector<SiblingRun>& runs) {
  std::vector<std::string> devices;
  std::vector<Medians> medians;
  for (const SiblingRun& run : runs)
    if (Medians of_run = medians_of(run.timings); !of_run.empty()) {
      devices.push_back(run.device);
      medians.push_back(std::move(of_run));
    }
  if (medians.size() < 2) return {};
  // By suite, the cases of all devices with the processes in which all have a time.
  std::map<std::string, std::map<std::string, std::set<int>>> common;
  for (const auto& timing : medians.front()) {
    const auto& key = timing.first;
    if (std::ranges::all_of(medians, [&](const Medians& of) { return of.contains(key); }))
      common[key.first.substr(0, key.first.find('/'))][key.first].insert(key.second);
  }
  std::size_t processes = 0;
  for (const auto& [suite, cases] : common)
    for (const auto& [name, replicates] : cases) processes = std::max(processes, replicates.size());
  // A case that lacks a process would shift that process's mean.
  std::map<std::string, std::vector<std::string>> whole;
  std::set<int> replicates;
  for (const auto& [suite, cases] : common)
    for (const auto& [name, of_case] : cases)
      if (of_case.size() == processes && (replicates.empty() || replicates == of_case)) {
        replicates = of_case;
        whole[suite].push_back(name);
      }
  if (whole.empty()) return {};
  std::vector<std::pair<std::string, std::vector<std::string>>> groups{{"", {}}};
  for (const auto& [suite, names] : whole)
    groups.front().second.insert(groups.front().second.end(), names.begin(), names.end());
  if (whole.size() > 1) groups.insert(groups.end(), whole.begin(), whole.end());
  const double level = 0.05 / static_cast<double>(groups.size() * devices.size());
  std::vector<SiblingsOfSuite> result;
  for (const auto& [suite, names] : groups) {
    Logarithms logs(devices.size());
    for (std::size_t d = 0; d < devices.size(); ++d)
      for (const int replicate : replicates) {
        double sum = 0;
        for (const std::string& name : names) sum += std::log(medians[d].at({name, replicate}));
        logs[d].push_back(sum / static_cast<double>(names.size()));
      }
    result.push_back({suite, static_cast<int>(names.size()), static_cast<int>(processes),
                      set_beside_each_other(devices, logs, level)});
  }
  return result;
}

}  // namespace ridgeline::analysis
