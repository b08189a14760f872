#include "harness/gate/foresight.hpp"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/gate/devices.hpp"
#include "harness/run/device_lock.hpp"
#include "harness/run/selection.hpp"
#include "harness/run/workers.hpp"

namespace ridgeline::gate {
namespace {

std::optional<std::vector<run::Worker>> own_workers() {
  try {
    return run::ask_workers({}, run::Ask::cases_and_devices);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::dependency) throw;
    return std::nullopt;  // commits have workers of their own
  }
}

/// Whether a worker of a commit may see a device of that name though none of this build does: not a
/// CPU or a GPU, nor what begins with no kind of device at all, like "h100".
bool may_be_of_commits(const std::string& device) {
  const auto kind = parse<DeviceKind>(device.substr(0, device.find(':')));
  return kind == DeviceKind::emulated || kind == DeviceKind::fake;
}

/// The commits may see another device first.
void tell_use_of_best(const std::vector<run::Worker>& workers,
                      const std::function<void(const std::string&)>& say) {
  const std::vector<record::Device> devices = run::devices_of(workers);
  if (devices.empty()) return;
  if (const auto use = run::device_use(devices.front().uuid); use && use->held)
    say(fmt::format("{}; without --device, this build measures on it",
                    run::in_use(devices.front().id, use->holder).what()));
}

}  // namespace

void look_ahead(std::span<const Commit> commits, const Asked& asked,
                const std::function<void(const std::string&)>& say) {
  for (const Commit& commit : commits) check_presets(commit);
  if (std::ranges::all_of(commits, [](const Commit& commit) { return is_built(commit); })) return;
  const std::optional<std::vector<run::Worker>> workers = own_workers();
  if (!workers) return;
  const auto warn = [&](const Error& unknown) {
    say(fmt::format("{}, as far as this build knows, which is not one of the commits{}{}",
                    unknown.what(), unknown.advice().empty() ? "" : "; ", unknown.advice()));
  };
  for (const std::string& name : device_names(asked.device)) {
    if (name.empty()) {
      if (asked.no_wait) tell_use_of_best(*workers, say);
      continue;
    }
    std::optional<record::Device> device;
    try {
      device = run::choose_device(*workers, name);
    } catch (const Error& unknown) {
      if (!may_be_of_commits(name)) throw;
      warn(unknown);
    }
    if (!asked.no_wait || !device) continue;
    if (const auto use = run::device_use(device->uuid); use && use->held)
      throw run::in_use(device->id, use->holder);
  }
  std::vector<std::string> names;
  for (const run::Worker& worker : *workers)
    for (const record::Case& info : worker.cases) names.push_back(record::name(info.id));
  for (const std::string& pattern : asked.patterns) {
    try {
      run::check_patterns({pattern}, names);
    } catch (const Error& unknown) {
      warn(unknown);
    }
  }
}

}  // namespace ridgeline::gate
