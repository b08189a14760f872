#include <cstdio>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/cli/command.hpp"
#include "harness/present/json_output.hpp"
#include "harness/present/table.hpp"
#include "harness/present/terminal.hpp"
#include "harness/record/json.hpp"
#include "harness/run/workers.hpp"

namespace ridgeline::cli {
namespace {

int devices(const Context& context) {
  const std::vector<run::Worker> workers = run::ask_workers(context.workers, run::Ask::devices);
  const std::vector<record::Device> devices = run::devices_of(workers);
  if (context.json) {
    json::Value all{{"devices", json::list(devices)}, {"unavailable", json::Value::array()}};
    for (const run::Worker& worker : workers) {
      if (!worker.unavailable.empty())
        all["unavailable"].push_back({{"worker", worker.name}, {"reason", worker.unavailable}});
      for (const protocol::UnavailableKind& missing : worker.devices.unavailable)
        all["unavailable"].push_back(
            {{"worker", worker.name}, {"kind", missing.kind}, {"reason", missing.reason}});
    }
    present::print_json(all);
    return present::fine;
  }
  present::Table table(
      {{"device"}, {"model"}, {"name"}, {"uuid", present::Table::Align::left, true}});
  for (const record::Device& device : devices)
    table.add({printable(device.id), printable(device.model), printable(device.name),
               printable(device.uuid)});
  present::say(stdout, table.text(present::look_of(stdout).width));
  for (const run::Worker& worker : workers) {
    if (!worker.unavailable.empty())
      present::say(stdout, fmt::format("{}: unavailable: {}\n", worker.name,
                                       printable(worker.unavailable, 1000)));
    for (const protocol::UnavailableKind& missing : worker.devices.unavailable)
      present::say(stdout, fmt::format("{} ({}): unavailable: {}\n", printable(missing.kind),
                                       worker.name, printable(missing.reason, 1000)));
  }
  return present::fine;
}

}  // namespace

void add_devices(Command program, Context& context) {
  const Command command = add_command(
      program, context, "devices", "Show what there is to measure on, and what is missing and why",
      R"(
  ridgeline devices           one line per device, the one that run prefers first
  ridgeline devices --json    all facts of each)",
      [&context] { return devices(context); }, "nothing was listed");
  for (const auto add : {add_worker_option, add_json_option}) add(command, context);
}

}  // namespace ridgeline::cli
