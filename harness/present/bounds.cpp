#include "harness/present/bounds.hpp"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "harness/analysis/summary.hpp"
#include "harness/base/error.hpp"
#include "harness/base/shell.hpp"
#include "harness/base/text.hpp"
#include "harness/catalogue/device_name.hpp"
#include "harness/present/counted_cases.hpp"
#include "harness/present/terminal.hpp"
#include "harness/store/selector.hpp"

namespace ridgeline::present {
namespace {

using catalogue::Datasheet;
using store::FoundRun;

/// The command that counts what `patterns` pick.
std::string counting_command(const std::string& device, const std::vector<std::string>& patterns) {
  std::vector<std::string> words{"ridgeline", "run", "--device", device};
  words.insert(words.end(), patterns.begin(), patterns.end());
  return shell_line(words);
}

bool is_of_model(const FoundRun& found, const Datasheet& sheet) {
  const std::optional<Datasheet> its = catalogue::datasheet(found.summary.device.pci_id);
  return its && its->model == sheet.model && found.summary.run.gate.empty();
}

std::vector<store::StoredMeasurement> measurements(const FoundRun& found) {
  return store::measurements(store::Store::open(found.file), found.summary.run.id,
                             store::Samples::leave_out);
}

/// Times of the newest run that measured the case well; `runs` are newest first.
std::map<std::string, MeasuredCase> measured_cases(const std::vector<FoundRun>& runs) {
  std::map<std::string, MeasuredCase> cases;
  for (const FoundRun& found : runs)
    for (const analysis::CaseSummary& summary :
         analysis::summarise(measurements(found), {}, found.summary.run.unstable))
      if (summary.outcome == record::Outcome::ok && summary.median_ns)
        cases.emplace(record::name(summary.case_info.id),
                      MeasuredCase{found.summary.run.id, *summary.median_ns});
  return cases;
}

/// The highest roof of the last-level cache that the newest run which measured any has.
void find_l2_roof(const std::vector<FoundRun>& runs, DeviceBounds& bounds) {
  for (const FoundRun& found : runs) {
    for (const record::Roof& roof :
         store::roofs(store::Store::open(found.file), found.summary.run.id))
      if (record::class_of_roof(roof.kind) == record::RoofClass::llc && record::is_measured(roof) &&
          (!bounds.l2 || roof.value > bounds.l2->value))
        bounds.l2 = roof;
    if (!bounds.l2) continue;
    bounds.l2_run = found.summary.run.id;
    return;
  }
}

void check_patterns(const std::vector<std::string>& patterns, const CountedCases& cases,
                    const std::string& device) {
  std::vector<std::string> names;
  for (const auto& [name, counted] : cases) names.push_back(name);
  check_picks(patterns, names, "what is counted by " + device,
              counting_command(device, patterns) + " counts it");
}

/// The runs whose counts fit the GPU: the one that the user chose, or all, newest first.
std::vector<FoundRun> counted_runs(const std::filesystem::path& results,
                                   const PredictOptions& options, const std::vector<FoundRun>& all,
                                   const Datasheet& sheet, const std::string& device) {
  if (!options.run.empty()) {
    const FoundRun chosen = store::find_run(results, options.run, [](const Error&) {});
    if (!is_counted_by(chosen, device))
      throw Error(ErrorKind::usage,
                  fmt::format("run {} is of {}, and a bound for the {} needs counts of {}",
                              chosen.summary.run.id, printable(chosen.summary.device.id),
                              sheet.model, device),
                  counting_command(device, options.patterns) + " makes some");
    return {chosen};
  }
  std::vector<FoundRun> runs = all;
  std::erase_if(runs, [&](const FoundRun& found) { return !is_counted_by(found, device); });
  if (runs.empty())
    throw Error(ErrorKind::dependency,
                fmt::format("no run on {} is stored in {}, whose counts bound the {}", device,
                            results.string(), sheet.model),
                counting_command(device, options.patterns) + " makes one");
  return runs;
}

std::string counting_device_of(const Datasheet& sheet) {
  const std::optional<std::string> device = counting_device(sheet);
  if (!device)
    throw Error(ErrorKind::usage,
                fmt::format("no emulated device runs the code of the {} (capability {}.{})",
                            sheet.model, sheet.capability / 10, sheet.capability % 10),
                "there are emulated:sm_80 for 8.x and emulated:sm_90 for 9.0");
  return *device;
}

DeviceBounds bounds_of(const std::filesystem::path& results, const PredictOptions& options,
                       const std::vector<FoundRun>& all, const Datasheet& sheet) {
  DeviceBounds bounds;
  bounds.sheet = sheet;
  bounds.counted_by = counting_device_of(sheet);
  const CountedCases counted =
      counted_cases(counted_runs(results, options, all, sheet, bounds.counted_by));
  check_patterns(options.patterns, counted, bounds.counted_by);
  std::vector<FoundRun> own = all;
  std::erase_if(own, [&](const FoundRun& found) { return !is_of_model(found, sheet); });
  find_l2_roof(own, bounds);
  const std::map<std::string, MeasuredCase> measured = measured_cases(own);
  for (const auto& [name, counts] : counted) {
    if (!any_matches(options.patterns, name)) continue;
    if (counts.measurement.outcome != record::Outcome::counted) {
      bounds.uncounted.push_back(
          {name, analysis::in_words(counts.measurement.outcome, counts.measurement.reason)});
      continue;
    }
    BoundedCase& one = bounds.cases.emplace_back();
    one.name = name;
    one.counted_run = counts.run;
    one.bound = analysis::least_time(analysis::counted_work(counts.info, counts.measurement), sheet,
                                     bounds.l2);
    if (const auto at = measured.find(name); at != measured.end()) one.measured = at->second;
  }
  return bounds;
}

}  // namespace

std::vector<DeviceBounds> find_bounds(const std::filesystem::path& results,
                                      const PredictOptions& options) {
  std::vector<Datasheet> sheets;  // all of them are known before anything is read
  for (const std::string& name : options.devices) {
    sheets.push_back(catalogue::datasheet_named(name));
    counting_device_of(sheets.back());
  }
  const std::vector<FoundRun> all = store::all_runs(results, say_left_out);
  std::vector<DeviceBounds> devices;
  for (const Datasheet& sheet : sheets) devices.push_back(bounds_of(results, options, all, sheet));
  return devices;
}

}  // namespace ridgeline::present
