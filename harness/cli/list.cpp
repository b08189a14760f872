#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/json_output.hpp"
#include "harness/cli/table.hpp"
#include "harness/protocol/record_json.hpp"
#include "harness/run/home.hpp"
#include "harness/run/profile.hpp"
#include "harness/run/selection.hpp"
#include "harness/run/workers.hpp"

namespace ridgeline::cli {
namespace {

struct Listed {
  record::Case info;
  std::string worker;
};

/// `--device cuda:0` and `--device cuda` both mean cases for CUDA: listing asks no device.
std::string kind_of(const std::string& device) { return device.substr(0, device.find(':')); }

bool on_device(const record::Case& info, const std::string& device) {
  return device.empty() || to_string(info.device_kind) == kind_of(device);
}

int list(const Context& context, const std::vector<std::string>& patterns) {
  std::unique_ptr<run::Profile> profile;
  if (!context.profile.empty())
    profile = std::make_unique<run::Profile>(run::load_profile(context.profile, run::home()));
  const std::vector<run::Worker> workers = run::ask_workers(context.workers, run::Ask::cases);
  if (profile) run::check_profile(workers, *profile);
  std::vector<Listed> cases;
  std::vector<std::string> names;
  for (const run::Worker& worker : workers) {
    if (!worker.unavailable.empty() && !context.quiet)
      fmt::print(stderr, "{}: unavailable: {}\n", worker.name, printable(worker.unavailable, 1000));
    for (const record::Case& info : worker.cases) {
      if (!worker.unavailable.empty() || !on_device(info, context.device)) continue;
      names.push_back(record::name(info.id));
      if (!profile || run::has(*profile, info)) cases.push_back({info, worker.name});
    }
  }
  if (names.empty() && !context.device.empty()) {
    if (const run::Worker* missing = run::missing_for(workers, context.device))
      throw Error(ErrorKind::dependency,
                  fmt::format("the cases for device {} cannot be listed: {}", printable(context.device),
                              printable(missing->unavailable, 1000)),
                  missing->advice);
  }
  if (names.empty())
    throw Error(ErrorKind::usage, fmt::format("there are no cases for device {}", printable(context.device)),
                "ridgeline devices shows what there is");
  run::check_patterns(patterns, names);
  std::erase_if(cases, [&](const Listed& listed) {
    const std::string name = record::name(listed.info.id);
    return !patterns.empty() && std::none_of(patterns.begin(), patterns.end(),
                                             [&](const std::string& pattern) { return matches(pattern, name); });
  });

  if (context.json) {
    json::Value all{{"cases", json::Value::array()}, {"unavailable", json::Value::array()}};
    for (const Listed& listed : cases) {
      json::Value object{{"name", record::name(listed.info.id)}, {"worker", listed.worker}};
      object.update(protocol::to_json(listed.info));
      all["cases"].push_back(std::move(object));
    }
    for (const run::Worker& worker : workers)
      if (!worker.unavailable.empty())
        all["unavailable"].push_back({{"worker", worker.name}, {"reason", worker.unavailable}});
    print_json(all);
    return fine;
  }
  // The same case may exist on several kinds of device: it is one line.
  std::map<std::string, std::set<std::string>> kinds;
  std::vector<std::string> order;
  for (const Listed& listed : cases) {
    const std::string name = record::name(listed.info.id);
    if (kinds[name].empty()) order.push_back(name);
    kinds[name].insert(std::string(to_string(listed.info.device_kind)));
  }
  Table table({{"case"}, {"devices"}});
  for (const std::string& name : order)
    table.add({printable(name, 400), fmt::format("{}", fmt::join(kinds[name], ", "))});
  fmt::print("{}", table.text());
  if (!context.quiet) fmt::print("{} case{}\n", order.size(), order.size() == 1 ? "" : "s");
  return fine;
}

}  // namespace

void add_list(Command program, Context& context) {
  const auto patterns = std::make_shared<std::vector<std::string>>();
  const Command command = add_command(program, context, "list", "Show the cases that can be measured",
                                      "  ridgeline list                       all cases\n"
                                      "  ridgeline list gemm/naive            a suite, a variant and everything below\n"
                                      "  ridgeline list '*/bf16/*'            * matches anything, also /\n"
                                      "  ridgeline list --profile quick       what that profile measures\n"
                                      "  ridgeline list --device cpu --json   with work, ideas and ranks",
                                      [&context, patterns] { return list(context, *patterns); });
  command.option("PATTERN", *patterns, "Globs on case names; without any, all cases");
  add_device_option(command, context);
  add_profile_option(command, context);
  add_worker_option(command, context);
  add_json_option(command, context);
  add_quiet_option(command, context);
}

}  // namespace ridgeline::cli
