#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

#include <fmt/core.h>

#include "harness/analysis/summary.hpp"
#include "harness/base/error.hpp"
#include "harness/base/shell.hpp"
#include "harness/base/text.hpp"
#include "harness/catalogue/device_name.hpp"
#include "harness/cli/command.hpp"
#include "harness/present/bounds.hpp"
#include "harness/present/json_output.hpp"
#include "harness/store/selector.hpp"

namespace ridgeline::cli {
namespace {

using catalogue::Datasheet;
using store::FoundRun;

struct PredictOptions {
  std::vector<std::string> patterns, devices;
  std::string run;
};

/// A case with its latest result on an emulated device.
struct Counted {
  std::string run;
  record::Case info;
  record::Measurement measurement;
};
using CountedCases = std::map<std::string, Counted>;

std::string counting_device(int capability) { return fmt::format("emulated:sm_{}", capability); }

/// The command that counts what `patterns` pick.
std::string counting_command(const std::string& device, const std::vector<std::string>& patterns) {
  std::vector<std::string> words{"ridgeline", "run", "--device", device};
  words.insert(words.end(), patterns.begin(), patterns.end());
  return shell_line(words);
}

bool is_counted_by(const FoundRun& found, const std::string& device) {
  return found.summary.device.kind == DeviceKind::emulated && found.summary.device.id == device &&
         found.summary.run.gate.empty();
}

bool is_of_model(const FoundRun& found, const Datasheet& sheet) {
  const std::optional<Datasheet> its = catalogue::datasheet(found.summary.device.pci_id);
  return its && its->model == sheet.model && found.summary.run.gate.empty();
}

std::vector<store::StoredMeasurement> measurements(const FoundRun& found) {
  return store::Store::open(found.file).measurements(found.summary.run.id, store::Samples::leave_out);
}

/// Of the newest run that has the case. `runs` are newest first.
CountedCases counted_cases(const std::vector<FoundRun>& runs) {
  CountedCases cases;
  for (const FoundRun& found : runs) {
    const std::vector<store::StoredMeasurement> stored = measurements(found);
    for (const analysis::CaseProcesses& processes : analysis::by_case(stored)) {
      const store::StoredMeasurement& last = *processes.back();
      cases.emplace(record::name(last.case_info.id), Counted{found.summary.run.id, last.case_info, last.measurement});
    }
  }
  return cases;
}

/// Times of the newest run that measured the case well; `runs` are newest first.
std::map<std::string, present::MeasuredCase> measured_cases(const std::vector<FoundRun>& runs) {
  std::map<std::string, present::MeasuredCase> cases;
  for (const FoundRun& found : runs)
    for (const analysis::CaseSummary& summary : analysis::summarise(measurements(found), {}))
      if (summary.outcome == record::Outcome::ok && summary.median_ns)
        cases.emplace(record::name(summary.case_info.id),
                      present::MeasuredCase{found.summary.run.id, *summary.median_ns});
  return cases;
}

/// The highest roof of the last-level cache that the newest run which measured any has.
void find_l2_roof(const std::vector<FoundRun>& runs, present::DeviceBounds& bounds) {
  for (const FoundRun& found : runs) {
    for (const record::Roof& roof : store::Store::open(found.file).roofs(found.summary.run.id))
      if (record::class_of_roof(roof.kind) == record::RoofClass::llc && roof.source == "measured" &&
          (!bounds.l2 || roof.value > bounds.l2->value))
        bounds.l2 = roof;
    if (!bounds.l2) continue;
    bounds.l2_run = found.summary.run.id;
    return;
  }
}

void check_patterns(const std::vector<std::string>& patterns, const CountedCases& cases, const std::string& device) {
  std::vector<std::string> names;
  for (const auto& [name, counted] : cases) names.push_back(name);
  for (const std::string& pattern : patterns) {
    if (std::ranges::any_of(names, [&](const std::string& name) { return matches(pattern, name); })) continue;
    const std::string near = nearest(pattern, names);
    throw Error(ErrorKind::usage, fmt::format("no case that {} has counted matches {}", device, printable(pattern)),
                fmt::format("{}{} counts it", near.empty() ? "" : fmt::format("did you mean {}? Else ", near),
                            counting_command(device, {pattern})));
  }
}

template <class Accept>
std::vector<FoundRun> those(const std::vector<FoundRun>& runs, Accept&& accept) {
  std::vector<FoundRun> found;
  std::ranges::copy_if(runs, std::back_inserter(found), accept);
  return found;
}

/// The runs whose counts fit the GPU: the one that the user chose, or all, newest first.
std::vector<FoundRun> counted_runs(const Context& context, const PredictOptions& options,
                                   const std::vector<FoundRun>& all, const Datasheet& sheet,
                                   const std::string& device) {
  if (!options.run.empty()) {
    const FoundRun chosen = store::find_run(context.results, options.run, [](const Error&) {});
    if (!is_counted_by(chosen, device))
      throw Error(ErrorKind::usage,
                  fmt::format("run {} is of {}, and a bound for the {} needs counts of {}", chosen.summary.run.id,
                              printable(chosen.summary.device.id), sheet.model, device),
                  counting_command(device, options.patterns) + " makes some");
    return {chosen};
  }
  std::vector<FoundRun> runs = those(all, [&](const FoundRun& found) { return is_counted_by(found, device); });
  if (runs.empty())
    throw Error(
        ErrorKind::dependency,
        fmt::format("no run on {} is stored in {}, whose counts bound the {}", device, context.results, sheet.model),
        counting_command(device, options.patterns) + " makes one");
  return runs;
}

std::string counting_device_of(const Datasheet& sheet) {
  const std::optional<int> capability = analysis::counting_capability(sheet);
  if (!capability)
    throw Error(ErrorKind::usage,
                fmt::format("no emulated device runs the code of the {} (capability {}.{})", sheet.model,
                            sheet.capability / 10, sheet.capability % 10),
                "there are emulated:sm_80 for 8.x and emulated:sm_90 for 9.0");
  return counting_device(*capability);
}

present::DeviceBounds bounds_of(const Context& context, const PredictOptions& options, const std::vector<FoundRun>& all,
                                const Datasheet& sheet) {
  present::DeviceBounds bounds;
  bounds.sheet = sheet;
  bounds.counted_by = counting_device_of(sheet);
  const CountedCases counted = counted_cases(counted_runs(context, options, all, sheet, bounds.counted_by));
  check_patterns(options.patterns, counted, bounds.counted_by);
  const std::vector<FoundRun> own = those(all, [&](const FoundRun& found) { return is_of_model(found, sheet); });
  find_l2_roof(own, bounds);
  const std::map<std::string, present::MeasuredCase> measured = measured_cases(own);
  for (const auto& [name, counts] : counted) {
    if (!options.patterns.empty() &&
        std::ranges::none_of(options.patterns, [&](const std::string& pattern) { return matches(pattern, name); }))
      continue;
    if (counts.measurement.outcome != record::Outcome::counted) {
      const std::string& reason = counts.measurement.reason;
      const std::string outcome(to_string(counts.measurement.outcome));
      // "unsupported: wgmma" says both.
      bounds.uncounted.push_back({name, reason.starts_with(outcome) ? reason : fmt::format("{}: {}", outcome, reason)});
      continue;
    }
    present::BoundedCase& one = bounds.cases.emplace_back();
    one.name = name;
    one.counted_run = counts.run;
    one.bound = analysis::least_time(analysis::counted_work(counts.info, counts.measurement), sheet, bounds.l2);
    if (const auto at = measured.find(name); at != measured.end()) one.measured = at->second;
  }
  return bounds;
}

int predict(const Context& context, const PredictOptions& options) {
  std::vector<Datasheet> sheets;  // all of them are known before anything is read
  for (const std::string& name : options.devices) {
    sheets.push_back(catalogue::datasheet_named(name));
    counting_device_of(sheets.back());
  }
  const std::vector<FoundRun> all = store::all_runs(context.results, present::say_left_out);
  std::vector<present::DeviceBounds> devices;
  for (const Datasheet& sheet : sheets) devices.push_back(bounds_of(context, options, all, sheet));
  if (context.json)
    present::print_json(present::to_json(devices));
  else
    fmt::print("{}", present::bounds_text(devices, present::look_of(stdout).width));
  return present::fine;
}

}  // namespace

void add_predict(Command program, Context& context) {
  const auto options = std::make_shared<PredictOptions>();
  const Command command = add_command(
      program, context, "predict", "Bound the time of counted cases on GPUs of the catalogue: never a forecast",
      "  ridgeline predict 'coalescing/*' --on h200       the least time that its counts allow, and why\n"
      "  ridgeline predict gemm --on a100,h100,h200       on three GPUs; a100-pcie-40gb and the like are others\n"
      "  ridgeline predict --on h100 --run label:mine     of all cases that one run has counted\n"
      "  ridgeline predict gemm --on h200 --json          for programs\n\n"
      "Counts come from runs on an emulated device, the latest of each case: ridgeline run --device emulated:sm_80 "
      "for\n"
      "the A100, emulated:sm_90 for H100 and H200. Stored measurements of cases with the same name on the same model\n"
      "stand beside their bounds. docs/how-to-predict.md says what a bound contains and what it leaves out.",
      [&context, options] { return predict(context, *options); });
  command.option("PATTERN", options->patterns, "Which counted cases; all without one");
  command.option("--on", options->devices, "GPUs of the catalogue, separated by commas")
      .required()
      .separated_by(',')
      .one_value()
      .value_name("DEVICE,...");
  command.option("--run", options->run, "Take the counts of this run alone").value_name("RUN");
  add_results_option(command, context);
  add_json_option(command, context);
}

}  // namespace ridgeline::cli
