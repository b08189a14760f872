#include "harness/cli/show_listing.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "harness/analysis/annotated_listing.hpp"
#include "harness/analysis/report_sites.hpp"
#include "harness/base/text.hpp"
#include "harness/present/json_output.hpp"

namespace ridgeline::cli {
namespace {

using analysis::CaseProcesses;
using analysis::CountedCase;
using store::StoredMeasurement;

/// Of the terminal; of a pipe or a narrow terminal what a listing has by itself, or needs.
analysis::ListingShape shape_of_output() {
  analysis::ListingShape shape;
  winsize size = {};
  if (ioctl(fileno(stdout), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    shape.width = std::max<int>(size.ws_col, analysis::narrowest_listing);
  return shape;
}

std::string how_many(std::size_t count) { return fmt::format("{} case{}", count, count == 1 ? "" : "s"); }

/// "3 cases: gemm/naive (2), gemm/wmma (1)", by suite and variant.
std::string what_there_is(const std::set<std::string>& names) {
  constexpr std::size_t most = 8;
  std::map<std::string, int> variants;
  for (const std::string& name : names) ++variants[name.substr(0, name.find('/', name.find('/') + 1))];
  std::vector<std::string> said;
  for (const auto& [variant, count] : variants)
    if (said.size() < most) said.push_back(fmt::format("{} ({})", printable(variant), count));
  if (variants.size() > most) said.push_back(fmt::format("{} more", variants.size() - most));
  return fmt::format("{}{} {}", how_many(names.size()), names.empty() ? "" : ":", fmt::join(said, ", "));
}

/// The measurements of the cases that `pattern` picks, all of a case or none.
std::vector<StoredMeasurement> picked(std::vector<StoredMeasurement> measurements, const std::string& pattern) {
  std::set<std::string> names;
  for (const StoredMeasurement& stored : measurements) names.insert(stored.measurement.case_name);
  std::erase_if(measurements, [&](const StoredMeasurement& m) { return !matches(pattern, m.measurement.case_name); });
  if (measurements.empty()) {
    const std::string near = nearest(pattern, {names.begin(), names.end()});
    throw Error(ErrorKind::usage, fmt::format("the run has no case {}", printable(pattern)),
                near.empty() ? fmt::format("it has {}; ridgeline show lists them", what_there_is(names))
                             : fmt::format("did you mean {}?", near));
  }
  return measurements;
}

/// The cases that were picked and have no counts.
class Skipped {
 public:
  void add(const record::Measurement& m) {
    const std::string why = !m.reason.empty() ? m.reason : record::has_samples(m.outcome) ? "it has times" : "";
    reasons_[{std::string(record::to_string(m.outcome)), why}].push_back(m.case_name);
    all_.push_back({{"case", m.case_name}, {"outcome", record::to_string(m.outcome)}, {"reason", m.reason}});
  }
  std::size_t count() const { return all_.size(); }
  const json::Value& json() const { return all_; }

  /// "gemm/wmma/f32/m=64,n=64,k=64 and 2 more are unsupported: needs sm_90", one of a reason.
  std::vector<std::string> text() const {
    constexpr std::size_t most = 8;
    std::vector<std::string> said;
    for (const auto& [reason, names] : reasons_) {
      const auto& [outcome, why] = reason;
      const std::string more = names.size() > 1 ? fmt::format(" and {} more are", names.size() - 1) : " is";
      said.push_back(fmt::format("{}{} {}{}{}", printable(names.front(), 400), more, outcome, why.empty() ? "" : ": ",
                                 printable(why, 300)));
    }
    if (said.size() > most) {
      const std::string rest = fmt::format("{} more reasons; --json has all", said.size() - most);
      said.resize(most);
      said.push_back(rest);
    }
    return said;
  }

 private:
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> reasons_;  // outcome and why -> names
  json::Value all_ = json::Value::array();
};

void print_text(const CountedCase& counted) {
  const record::Measurement& m = counted.shown->measurement;
  present::say(stdout, fmt::format("{}\n", printable(m.case_name, 400)));
  if (counted.processes_differ)
    present::say(stdout, fmt::format("counts differ between processes, whose inputs do; of replicate {}\n",
                                     counted.shown->replicate));
  std::string text = "\n";
  for (const std::string& line : analysis::annotated_listing(m.sites, m.sources, shape_of_output()))
    text += line + '\n';
  present::say(stdout, m.sites.empty() ? "no access to memory was counted\n" : text);
}

}  // namespace

int show_listing(const Context& context, const store::FoundRun& found, const std::string& pattern) {
  const store::Store store = store::Store::open(found.file);
  std::vector<StoredMeasurement> measurements =
      picked(store.measurements(found.summary.run.id, store::Samples::leave_out), pattern);
  analysis::read_sites(store, measurements);
  json::Value listings = json::Value::array();
  analysis::SourceTable sources;
  Skipped skipped;
  std::size_t shown = 0;
  for (const CaseProcesses& processes : analysis::by_case(measurements)) {
    const CountedCase counted = analysis::counted_case(processes);
    if (!counted.shown) {
      skipped.add(processes.back()->measurement);
      continue;
    }
    if (context.json) {
      json::Value& object = listings.push_back({{"case", counted.shown->measurement.case_name}});
      put_sites(object, counted, sources);
    } else {
      if (shown > 0) present::say(stdout, "\n");
      print_text(counted);
    }
    ++shown;
  }
  if (shown == 0)
    throw Error(ErrorKind::usage,
                fmt::format("run {} has no listing of {}: {}", found.summary.run.id, printable(pattern),
                            fmt::join(skipped.text(), "; ")),
                "cases are counted on an emulated device: ridgeline run --device emulated:sm_90");
  if (context.json)
    present::print_json({{"run", found.summary.run.id},
                         {"listings", listings},
                         {"sources", sources.to_json()},
                         {"not_counted", skipped.json()}});
  else if (skipped.count() > 0)
    present::say(stderr, fmt::format("\n{} of {} {} no listing, because {} not counted:\n  {}\n", skipped.count(),
                                     how_many(shown + skipped.count()), skipped.count() == 1 ? "has" : "have",
                                     skipped.count() == 1 ? "it was" : "they were", fmt::join(skipped.text(), "\n  ")));
  return present::fine;
}

}  // namespace ridgeline::cli
