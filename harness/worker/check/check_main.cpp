#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/device/check.hpp"
#include "harness/device/failure.hpp"
#include "harness/emulated/emulated_device.hpp"
#include "harness/emulated/remedies.hpp"
#include "harness/measure/count.hpp"
#include "harness/record/json.hpp"
#include "harness/worker/check/endings.hpp"
#include "harness/worker/check/told_check.hpp"
#include "harness/worker/check/unset_variables.hpp"

// The program around a file that `ridgeline check` compiles: PROGRAM DEVICE [--report FILE]
// [--text FILE]. The files get what it found, as JSON and for people. Exit codes: 0 it was counted,
// 2 something is wrong with it, 64 usage, 69 no such device.
namespace ridgeline {
namespace {

/// The user's whole check as one execution of a case, which verifies itself.
record::Measurement measured(device::Device& device) {
  record::Measurement measurement;
  measurement.case_name = "check";
  measure::Workload workload;
  workload.poison = [](std::size_t) {};
  workload.launch = [&](measure::Turn, device::Stream&) { check(device); };
  workload.verify = [](measure::Turn) { return record::Verification{}; };
  try {
    measure::count(workload, device, "/", measurement);
    measurement.verification.reset();  // the check has compared for itself
  } catch (const device::Unsupported& unsupported) {
    measurement.outcome = record::Outcome::unsupported;
    measurement.reason = unsupported.what();
  } catch (const device::KernelMistake& mistake) {
    measurement.outcome = record::Outcome::wrong_result;
    measurement.reason = mistake.what();
    if (!mistake.advice().empty())
      measurement.reason += "\n  " + mistake.advice();  // what else was found
  } catch (const std::exception& error) {
    measurement.outcome = record::Outcome::wrong_result;
    measurement.reason = error.what();
  }
  return measurement;
}

double accesses_of(const record::Measurement& measurement) {
  double sum = 0;
  for (const record::Site& site : measurement.sites) sum += static_cast<double>(site.lanes);
  return sum;
}

/// The name of the check that its reason, the text of a finding, begins with.
std::string check_of(const record::Measurement& measurement) {
  const std::string& text = measurement.reason;
  return text.substr(0, std::min({text.find(" in "), text.find(" at "), text.find(':')}));
}

/// With the first mistake as a finding: its check, and the place that its text names.
json::Value with_findings(const record::Measurement& measurement,
                          const std::vector<std::string>& notes) {
  json::Value all = record::to_json(measurement);
  json::Value& findings = all["findings"] = json::Value::array();
  all["notes"] = notes;
  worker::add_unset_variables(all, accesses_of(measurement));
  if (measurement.outcome == record::Outcome::counted) return all;
  json::Value one{{"text", measurement.reason}};
  const std::string& text = measurement.reason;
  const std::size_t at = text.find(" at "), line = text.find(':', at);
  one["check"] = check_of(measurement);
  if (const auto remedy = emulated::remedy_of(check_of(measurement)); !remedy.empty())
    one["remedy"] = std::string(remedy);
  int number = 0;
  if (at != std::string::npos && line != std::string::npos &&
      std::from_chars(text.data() + line + 1, text.data() + text.size(), number).ec ==
          std::errc{}) {
    one["file"] = text.substr(at + 4, line - at - 4);
    one["line"] = number;
  }
  findings.push_back(std::move(one));
  return all;
}

std::string text_of(const record::Measurement& measurement, std::string_view device,
                    const std::vector<std::string>& notes) {
  if (measurement.outcome != record::Outcome::counted)
    return fmt::format("{}: {}\n  {}\n{}", device, record::to_string(measurement.outcome),
                       measurement.reason, worker::remedy_line(check_of(measurement)));
  std::string text = fmt::format("{}: nothing wrong was found\n", device);
  for (const std::string& note : notes) text += fmt::format("  note: {}\n", note);
  return text + '\n' +
         (measurement.sites.empty() ? "No kernel was launched, so nothing was checked.\n"
                                    : worker::counts_text(measurement));
}

/// Runs the check in one order of lanes, warps and blocks, which the seed says: on one OS thread,
/// so that nothing depends on how many cores there are.
record::Measurement measured_in_order(const std::string& name, std::uint64_t seed) {
  emulated::settings_of_new_devices() = {.workers = 1, .seed = seed, .checks_downloads = true};
  const std::unique_ptr<device::Device> device = device::open(name);
  if (device->facts().kind != device::Kind::emulated)
    throw Error(ErrorKind::usage, name + " does not check kernels",
                "there are emulated:sm_90 and emulated:sm_80");
  return measured(*device);
}

/// While it lives, what the check prints is not seen: it would be printed once for each order.
class Silence {
 public:
  Silence() : stdout_(::dup(STDOUT_FILENO)) {
    std::fflush(stdout);
    if (const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC); null >= 0) {
      ::dup2(null, STDOUT_FILENO);
      ::close(null);
    }
  }
  Silence(const Silence&) = delete;
  ~Silence() {
    std::fflush(stdout);
    ::dup2(stdout_, STDOUT_FILENO);
    ::close(stdout_);
  }

 private:
  const int stdout_;
};

/// In the order of numbers, and where nothing is wrong in a few more; counts and notes are of the
/// first.
record::Measurement measured_in_orders(const std::string& name, std::vector<std::string>& notes) {
  constexpr std::uint64_t seeds = 3;
  record::Measurement first = measured_in_order(name, 0);
  const bool has_seed = std::count(name.begin(), name.end(), '/') > 1;
  const bool repeats = first.outcome == record::Outcome::counted && !has_seed;
  notes = emulated::take_notes();
  if (repeats && accesses_of(first) > worker::most_repeated_accesses) {
    notes.push_back(
        fmt::format("more than {:.0f} million accesses: one order of threads was tried alone",
                    worker::most_repeated_accesses / 1e6));
    return first;
  }
  for (std::uint64_t seed = 1; repeats && seed <= seeds; ++seed) {
    const Silence silence;
    record::Measurement other = measured_in_order(name, seed);
    if (other.outcome == record::Outcome::counted) continue;
    other.reason += fmt::format("\n  found with the order of threads number {}", seed);
    return other;
  }
  return first;
}

std::string device_name, report_file, text_file;

void write(const record::Measurement& measurement, const std::vector<std::string>& notes) {
  worker::write_told(text_file, text_of(measurement, device_name, notes));
  worker::write_told(report_file, with_findings(measurement, notes).dump() + '\n');
}

/// A check that a signal ends.
int end_by(const worker::Ending& ending) {
  record::Measurement measurement;
  measurement.case_name = "check";
  measurement.outcome =
      ending.was_asked() ? record::Outcome::timeout : record::Outcome::wrong_result;
  measurement.reason = ending.was_asked() ? "interrupted" : worker::crash_text(ending);
  write(measurement, {});
  return ending.was_asked() ? 3 : 2;
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) throw Error(ErrorKind::usage, "no device is named");
  device_name = arguments[0];
  report_file = worker::value_of(arguments, "--report");
  text_file = worker::value_of(arguments, "--text");
  worker::watch_endings(text_file, end_by);
  std::vector<std::string> notes;
  const record::Measurement measurement = measured_in_orders(device_name, notes);
  if (!worker::is_forked()) {
    worker::begin_report();
    write(measurement, notes);
  }
  return measurement.outcome == record::Outcome::counted ? 0 : 2;
}

}  // namespace
}  // namespace ridgeline

int main(int argc, char** argv) {
  try {
    return ridgeline::run({argv + 1, argv + argc});
  } catch (const ridgeline::Error& error) {
    fmt::print(stderr, "ridgeline check: {}\n", error.what());
    if (!error.advice().empty()) fmt::print(stderr, "  {}\n", error.advice());
    return error.exit_code();
  }
}
