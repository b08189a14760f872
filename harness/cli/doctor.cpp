#include "harness/present/doctor.hpp"

#include <cstdio>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/command.hpp"
#include "harness/present/json_output.hpp"
#include "harness/process/home.hpp"
#include "harness/run/gpu_fitness.hpp"
#include "harness/run/host_fitness.hpp"
#include "harness/run/noise.hpp"
#include "harness/run/selection.hpp"
#include "harness/run/software_fitness.hpp"

namespace ridgeline::cli {
namespace {

constexpr double noise_s = 5;

struct DoctorOptions {
  std::optional<double> least_free_gib;
  bool quick = false, strict = false;
};

void add(run::Findings& all, run::Findings some) {
  all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
}

/// Waits for nobody: a device in use is a finding.
run::Findings noise_of(const std::vector<run::Selected>& cases, const record::Device& device,
                       const run::Sampling& sampling) {
  const run::Subject subject{"noise", "one program against itself, in fresh processes in turn",
                             "a difference smaller than the noise cannot be told from none"};
  const auto chosen = run::cases_for_noise(cases);
  if (chosen.empty())
    return {run::finding(subject, run::Level::unknown, "there is no case to measure it with",
                         "ridgeline list shows what there is")};
  try {
    return run::judge_noise(run::measure_noise(chosen, device, sampling, noise_s), sampling);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::dependency) throw;
    return {run::finding(subject, run::Level::unknown, error.what(), error.advice())};
  }
}

present::Diagnosis diagnose(const Context& context, const DoctorOptions& options) {
  const std::filesystem::path home = process::home();
  const run::Profile profile =
      run::load_profile(context.profile.empty() ? "quick" : context.profile, home);
  const std::vector<run::Worker> workers = run::ask_workers(
      context.workers, options.quick ? run::Ask::devices : run::Ask::cases_and_devices);
  present::Diagnosis diagnosis{run::choose_device(workers, context.device), {}};
  const record::Device& device = diagnosis.device;
  run::Findings& findings = diagnosis.findings;
  run::HostQuestion question;
  question.measures_cpu = device.kind == DeviceKind::cpu;
  question.results = context.results;
  if (options.least_free_gib) question.disk_free = *options.least_free_gib * (1u << 30);
  add(findings, run::look_at_room(question));
  // Other devices count, or have times that this machine does not decide.
  if (device.kind != DeviceKind::cpu && device.kind != DeviceKind::cuda) return diagnosis;
  add(findings, run::look_at_processors(question));
  if (device.kind == DeviceKind::cuda) add(findings, run::look_at_gpu(device));
  add(findings, run::judge_software(device, run::look_for_software(device.kind, home)));
  if (options.quick) return diagnosis;
  const std::vector<run::Selected> cases = run::all_cases(workers, device);
  add(findings, run::judge_sizes(device, profile, cases));
  add(findings, noise_of(cases, device, profile.sampling));
  return diagnosis;
}

int doctor(const Context& context, const DoctorOptions& options) {
  if (options.least_free_gib && !(*options.least_free_gib >= 0 && *options.least_free_gib < 1e9))
    throw Error(ErrorKind::usage, "--min-free is a number of GiB, 0 or more");
  const present::Diagnosis diagnosis = diagnose(context, options);
  if (context.json)
    present::print_json(present::to_json(diagnosis));
  else
    present::say(stdout, present::diagnosis_text(diagnosis, present::look_of(stdout)));
  return present::exit_code(diagnosis, options.strict);
}

}  // namespace

void add_doctor(Command program, Context& context) {
  const auto [command, options] =
      add_command(program, context, "doctor", "Say whether this machine is fit to measure",
                  R"(
  ridgeline doctor                   of the device that run would take, in about ten seconds
  ridgeline doctor --device cpu      of another one
  ridgeline doctor --quick           without measuring anything: about four seconds
  ridgeline doctor --strict          for scripts: exit 3 unless everything is fine; also --json

Each finding says what was read and where from, what it does to times, and what to do. UNFIT: times
would not be those of the kernels alone. note: worth knowing. unknown: it could not be read, so
nothing is promised of it. Noise is measured with one program against itself for about 5 s (A/A).
Nothing is changed or stored. docs/doctor.md has all checks and their limits.
Exit codes: 0 fit, 3 not fit, or with --strict not everything fine.)",
                  doctor, "nothing was found out");
  for (const auto each : {add_device_option, add_profile_option}) each(command, context);
  command.option("--min-free", options.least_free_gib, "Disk space that must be free",
                 {.value_name = "GIB", .default_text = "2"});
  command.flag("--quick", options.quick, "Measure no noise, and list no cases");
  command.flag("--strict", options.strict, "Exit 3 unless everything is fine");
  for (const auto each : {add_results_option, add_worker_option, add_json_option})
    each(command, context);
}

}  // namespace ridgeline::cli
