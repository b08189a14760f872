#include "harness/present/claim_results.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "harness/analysis/claim.hpp"
#include "harness/analysis/ladder.hpp"
#include "harness/store/series.hpp"

namespace ridgeline::present {
namespace {

using analysis::CaseSummary;
using store::FoundRun;
using store::StoredMeasurement;

std::string why_bad(const CaseSummary& summary) {
  if (summary.beats_roof) return "faster than its roof allows";
  return summary.disturbed ? "disturbed" : analysis::in_words(summary.outcome, summary.reason);
}

}  // namespace

ModelResults::ModelResults(std::vector<FoundRun> newest_first, const std::set<std::string>& wanted,
                           const std::vector<ReportRun>& at_hand)
    : found_(std::move(newest_first)), runs_(found_.size()), wanted_(wanted), at_hand_(at_hand) {
  for (auto& [id, name] : store::case_names(store::Store::open(found_.front().file)))
    stored_.insert(name);
}

const record::Device& ModelResults::device() const {
  const auto number = [](const FoundRun& found) {
    const std::string& id = found.summary.device.id;
    return std::pair(id.size(), id);
  };
  return std::ranges::min_element(found_, {}, number)->summary.device;
}

bool ModelResults::any_stored(const std::vector<std::string>& names) const {
  return std::ranges::any_of(names, [&](const auto& name) { return stored_.contains(name); });
}

const ModelResults::Run& ModelResults::at(std::size_t place) {
  if (!runs_[place]) runs_[place] = read(found_[place]);
  return *runs_[place];
}

ModelResults::Run ModelResults::read(const FoundRun& found) const {
  const std::string& id = found.summary.run.id;
  const auto is_wanted = [&](const StoredMeasurement& one) {
    return wanted_.contains(one.measurement.case_name);
  };
  Run of;
  std::vector<StoredMeasurement> kept;
  const auto at_hand =
      std::ranges::find_if(at_hand_, [&](const ReportRun& one) { return one.run.id == id; });
  if (at_hand != at_hand_.end()) {
    of.stored = *at_hand;
    of.roofs = at_hand->roofs;
    std::ranges::copy_if(at_hand->measurements, std::back_inserter(kept), is_wanted);
  } else {
    const store::Store store = store::Store::open(found.file);
    of.stored = store::stored_run(store, found.summary);
    of.roofs = store::roofs(store, id);
    const store::Timings timings = store::timings(store, id);
    if (std::ranges::none_of(timings.cases, [&](const record::Case& one) {
          return wanted_.contains(record::name(one.id));
        }))
      return of;
    kept = store::measurements(store, id, store::Samples::leave_out);
    std::erase_if(kept, [&](const StoredMeasurement& one) { return !is_wanted(one); });
  }
  for (CaseSummary& one : analysis::summarise(kept, of.roofs, of.stored.run.unstable)) {
    std::string name = record::name(one.case_info.id);
    if (analysis::is_good(one))
      of.good.emplace(std::move(name), std::move(one));
    else
      of.bad.emplace(std::move(name), why_bad(one));
  }
  return of;
}

const CaseSummary* fastest_of(const ModelResults::Run& run, const std::vector<std::string>& names) {
  const CaseSummary* best = nullptr;
  for (const std::string& name : names) {
    const auto found = run.good.find(name);
    if (found == run.good.end()) continue;
    const auto gain = best != nullptr ? analysis::speed_up(*best, found->second) : std::nullopt;
    if (best == nullptr || (gain && gain->ratio > 1)) best = &found->second;
  }
  return best;
}

NewestResult newest_of(ModelResults& results, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < results.size() && results.any_stored(names); ++i)
    if (const CaseSummary* found = fastest_of(results.at(i), names)) return {&results.at(i), found};
  return {};
}

std::string why_not_good(ModelResults& results, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < results.size() && results.any_stored(names); ++i)
    for (const std::string& name : names)
      if (const auto found = results.at(i).bad.find(name); found != results.at(i).bad.end())
        return fmt::format("{}: {}", name, found->second);
  return fmt::format("no run has {}", names.front());
}

}  // namespace ridgeline::present
