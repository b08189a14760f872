#include "harness/present/history.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::present {
namespace {

CaseHistory history_of(DeviceHistory& device, CaseSeries& series, std::size_t limit) {
  CaseHistory history;
  history.name = record::name(series.info.id);
  history.older = series.results.size() - std::min(series.results.size(), limit);
  for (std::size_t i = history.older; i < series.results.size(); ++i) {
    const HistoryRun& run = device.runs[series.results[i].run];
    const std::size_t environment = environment_place(history.environments, run.environment);
    history.device = run.device;
    history.rows.push_back({run.run, environment, std::move(series.results[i])});
  }
  return history;
}

}  // namespace

std::vector<CaseHistory> find_history(const std::filesystem::path& results,
                                      const HistoryChoice& choice, const store::LeftOut& left_out) {
  StoredNames names;
  std::vector<DeviceHistory> devices = device_histories(
      results, {.patterns = choice.patterns, .device = choice.device}, names, left_out);
  check_picks(choice.patterns, {names.cases.begin(), names.cases.end()}, "what is stored",
              "ridgeline show lists the cases of the latest run");
  std::vector<CaseHistory> found;
  for (DeviceHistory& device : devices)
    for (CaseSeries& series : device.cases)
      found.push_back(history_of(device, series, choice.limit));
  if (found.empty())
    throw Error(ErrorKind::usage,
                choice.device.empty() ? "no run has measured it, but those of gates"
                                      : fmt::format("no run of a device '{}' has measured it",
                                                    printable(choice.device)),
                fmt::format("runs are stored of: {}",
                            printable(fmt::format("{}", fmt::join(names.devices, ", ")), 1000)));
  return found;
}

}  // namespace ridgeline::present
