#include "harness/present/listing.hpp"

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
#include "harness/base/units.hpp"
#include "harness/present/exit_code.hpp"
#include "harness/present/json_output.hpp"
#include "harness/present/output.hpp"

namespace ridgeline::present {
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

/// "3 cases: gemm/naive (2), gemm/wmma (1)", by suite and variant.
std::string what_there_is(const std::set<std::string>& names) {
  constexpr std::size_t most = 8;
  std::map<std::string, int> variants;
  for (const std::string& name : names)
    ++variants[name.substr(0, name.find('/', name.find('/') + 1))];
  std::vector<std::string> said;
  for (const auto& [variant, count] : variants)
    if (said.size() < most) said.push_back(fmt::format("{} ({})", printable(variant), count));
  if (variants.size() > most) said.push_back(fmt::format("{} more", variants.size() - most));
  return fmt::format("{}{} {}", units::plural(std::ssize(names), "case"), names.empty() ? "" : ":",
                     fmt::join(said, ", "));
}

/// Why cases have no counts: "gemm/wmma/f32/m=64,n=64,k=64 and 2 more are unsupported: needs
/// sm_90", one of a reason.
std::vector<std::string> reasons_of(const std::vector<const record::Measurement*>& skipped) {
  constexpr std::size_t most = 8;
  // Names by outcome and reason.
  std::map<std::pair<std::string_view, std::string>, std::vector<std::string>> reasons;
  for (const record::Measurement* m : skipped) {
    const std::string why = !m->reason.empty()                ? m->reason
                            : record::has_samples(m->outcome) ? "it has times"
                                                              : "";
    reasons[{record::to_string(m->outcome), why}].push_back(m->case_name);
  }
  std::vector<std::string> said;
  for (const auto& [reason, names] : reasons) {
    const auto& [outcome, why] = reason;
    const std::string more =
        names.size() > 1 ? fmt::format(" and {} more are", names.size() - 1) : " is";
    said.push_back(fmt::format("{}{} {}{}{}", printable(names.front(), 400), more, outcome,
                               why.empty() ? "" : ": ", printable(why, 300)));
  }
  if (said.size() > most) {
    const std::string rest = fmt::format("{} more reasons; --json has all", said.size() - most);
    said.resize(most);
    said.push_back(rest);
  }
  return said;
}

json::Value skipped_json(const record::Measurement* m) {
  return {
      {"case", m->case_name}, {"outcome", record::to_string(m->outcome)}, {"reason", m->reason}};
}

void print_text(const CountedCase& counted) {
  const record::Measurement& m = counted.shown->measurement;
  say(stdout, fmt::format("{}\n", printable(m.case_name, 400)));
  if (counted.processes_differ)
    say(stdout, fmt::format("counts differ between processes, whose inputs do; of replicate {}\n",
                            counted.shown->replicate));
  std::string text = "\n";
  for (const std::string& line : analysis::annotated_listing(m.sites, m.sources, shape_of_output()))
    text += line + '\n';
  say(stdout, m.sites.empty() ? "no access to memory was counted\n" : text);
}

}  // namespace

std::vector<StoredMeasurement> measurements_of(std::vector<StoredMeasurement> measurements,
                                               const std::string& pattern) {
  std::set<std::string> names;
  for (const StoredMeasurement& stored : measurements) names.insert(stored.measurement.case_name);
  check_picks({pattern}, {names.begin(), names.end()}, "the run",
              fmt::format("it has {}; ridgeline show lists them", what_there_is(names)));
  std::erase_if(measurements, [&](const StoredMeasurement& m) {
    return !matches(pattern, m.measurement.case_name);
  });
  return measurements;
}

int show_listing(const store::FoundRun& found, const std::string& pattern, bool json) {
  const store::Store store = store::Store::open(found.file);
  std::vector<StoredMeasurement> measurements = measurements_of(
      store::measurements(store, found.summary.run.id, store::Samples::leave_out), pattern);
  store::read_sites(store, measurements);
  json::Value listings = json::Value::array();
  analysis::SourceTable sources;
  std::vector<const record::Measurement*> skipped;
  std::int64_t shown = 0;
  for (const CaseProcesses& processes : analysis::by_case(measurements)) {
    const CountedCase counted = analysis::counted_case(processes);
    if (!counted.shown) {
      skipped.push_back(&processes.back()->measurement);
      continue;
    }
    if (json) {
      json::Value& object = listings.push_back({{"case", counted.shown->measurement.case_name}});
      put_sites(object, counted, sources);
    } else {
      if (shown > 0) say(stdout, "\n");
      print_text(counted);
    }
    ++shown;
  }
  if (shown == 0)
    throw Error(ErrorKind::usage,
                fmt::format("run {} has no listing of {}: {}", found.summary.run.id,
                            printable(pattern), fmt::join(reasons_of(skipped), "; ")),
                "cases are counted on an emulated device: ridgeline run --device emulated:sm_90");
  if (json)
    print_json({{"run", found.summary.run.id},
                {"listings", listings},
                {"sources", sources.to_json()},
                {"not_counted", json::list(skipped, skipped_json)}});
  else if (!skipped.empty())
    say(stderr, fmt::format("\n{} of {} {} not counted:\n  {}\n", skipped.size(),
                            units::plural(shown + std::ssize(skipped), "case"),
                            skipped.size() == 1 ? "has no listing, because it was"
                                                : "have no listing, because they were",
                            fmt::join(reasons_of(skipped), "\n  ")));
  return fine;
}

}  // namespace ridgeline::present
