#include "harness/gate/foresight.hpp"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/gate/devices.hpp"
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

bool is_of_this_machine(const std::string& device) {
  const auto kind = parse<DeviceKind>(device.substr(0, device.find(':')));
  return kind == DeviceKind::cpu || kind == DeviceKind::cuda;
}

}  // namespace

void look_ahead(std::span<const Commit> commits, const std::string& device,
                const std::vector<std::string>& patterns,
                const std::function<void(const std::string&)>& say) {
  for (const Commit& commit : commits) check_presets(commit);
  if (std::ranges::all_of(commits, [](const Commit& commit) { return is_built(commit); })) return;
  const std::optional<std::vector<run::Worker>> workers = own_workers();
  if (!workers) return;
  const auto warn = [&](const Error& unknown) {
    say(fmt::format("{}, as far as this build knows, which is not one of the commits{}{}",
                    unknown.what(), unknown.advice().empty() ? "" : "; ", unknown.advice()));
  };
  for (const std::string& name : device_names(device)) {
    if (name.empty()) continue;
    try {
      run::choose_device(*workers, name);
    } catch (const Error& unknown) {
      if (is_of_this_machine(name)) throw;
      warn(unknown);
    }
  }
  std::vector<std::string> names;
  for (const run::Worker& worker : *workers)
    for (const record::Case& info : worker.cases) names.push_back(record::name(info.id));
  for (const std::string& pattern : patterns) {
    try {
      run::check_patterns({pattern}, names);
    } catch (const Error& unknown) {
      warn(unknown);
    }
  }
}

}  // namespace ridgeline::gate
