#include "harness/cli/show_listing.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "harness/analysis/annotated_listing.hpp"
#include "harness/analysis/report_sites.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/json_output.hpp"

namespace ridgeline::cli {
namespace {

using analysis::CaseProcesses;
using analysis::CountedCase;
using nlohmann::ordered_json;
using store::StoredMeasurement;

/// Of the terminal; of a pipe or a narrow terminal what a listing has by itself, or needs.
analysis::ListingShape shape_of_output() {
  analysis::ListingShape shape;
  winsize size = {};
  if (ioctl(fileno(stdout), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    shape.width = std::max<int>(size.ws_col, analysis::narrowest_listing);
  return shape;
}

/// The measurements of the cases that `pattern` picks, all of a case or none.
std::vector<StoredMeasurement> picked(std::vector<StoredMeasurement> measurements, const std::string& pattern) {
  std::vector<std::string> names;
  for (const StoredMeasurement& stored : measurements) names.push_back(stored.measurement.case_name);
  std::erase_if(measurements, [&](const StoredMeasurement& m) { return !matches(pattern, m.measurement.case_name); });
  if (measurements.empty()) {
    const std::string near = nearest(pattern, names);
    throw Error(ErrorKind::usage, fmt::format("the run has no case {}", printable(pattern)),
                near.empty() ? "show without --listing lists its cases" : fmt::format("did you mean {}?", near));
  }
  return measurements;
}

void print_text(const CountedCase& counted) {
  const record::Measurement& m = counted.shown->measurement;
  say(stdout, fmt::format("{}\n", printable(m.case_name, 400)));
  if (counted.processes_differ)
    say(stdout,
        fmt::format("counts differ between processes, whose inputs do; of replicate {}\n", counted.shown->replicate));
  std::string text = "\n";
  for (const std::string& line : analysis::annotated_listing(m.sites, m.sources, shape_of_output()))
    text += line + '\n';
  say(stdout, m.sites.empty() ? "no access to memory was counted\n" : text);
}

}  // namespace

int show_listing(const Context& context, const store::FoundRun& found, const std::string& pattern) {
  const store::Store store = store::Store::open(found.file);
  std::vector<StoredMeasurement> measurements =
      picked(store.measurements(found.summary.run.id, store::Samples::leave_out), pattern);
  analysis::read_sites(store, measurements);
  ordered_json listings = ordered_json::array();
  analysis::SourceTable sources;
  std::string other;  // how a case ended that was not counted
  bool first = true;
  for (const CaseProcesses& processes : analysis::by_case(measurements)) {
    const CountedCase counted = analysis::counted_case(processes);
    if (!counted.shown) {
      const record::Measurement& m = processes.back()->measurement;
      other = fmt::format("{} is {}", printable(m.case_name, 400), record::to_string(m.outcome));
      continue;
    }
    if (context.json) {
      ordered_json& object = listings.emplace_back(ordered_json{{"case", counted.shown->measurement.case_name}});
      put_sites(object, counted, sources);
    } else {
      if (!first) say(stdout, "\n");
      print_text(counted);
    }
    first = false;
  }
  if (first)
    throw Error(
        ErrorKind::usage,
        fmt::format("run {} has no listing of {}: {}, not counted", found.summary.run.id, printable(pattern), other),
        "cases are counted on an emulated device: ridgeline run --device emulated:sm_90");
  if (context.json) print_json({{"run", found.summary.run.id}, {"listings", listings}, {"sources", sources.to_json()}});
  return fine;
}

}  // namespace ridgeline::cli
