#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/cli/case_files.hpp"
#include "harness/cli/command.hpp"
#include "harness/present/json_output.hpp"
#include "harness/present/table.hpp"
#include "harness/present/terminal.hpp"
#include "harness/process/home.hpp"
#include "harness/record/json.hpp"
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
std::string_view kind_word(std::string_view device) { return device.substr(0, device.find(':')); }

bool on_device(const record::Case& info, const std::string& device) {
  return device.empty() || to_string(info.device_kind) == kind_word(device);
}

struct ListOptions {
  std::vector<std::string> patterns;
  bool suites = false;
};

/// The cases that the options ask for, in the workers' order.
std::vector<Listed> chosen_cases(const Context& context, const std::vector<run::Worker>& workers,
                                 const std::vector<std::string>& patterns) {
  std::optional<run::Profile> profile;
  if (!context.profile.empty()) profile = run::load_profile(context.profile, process::home());
  if (profile) run::check_profile(workers, *profile);
  std::map<DeviceKind, std::set<std::string>> known;
  const auto in_profile = [&](DeviceKind kind) -> const std::set<std::string>& {
    if (!known.contains(kind)) known[kind] = run::names_in(*profile, workers, kind);
    return known[kind];
  };
  std::vector<Listed> cases;
  std::vector<std::string> names;
  for (const run::Worker& worker : workers) {
    // That a build left a worker out is said by `ridgeline devices`, and here where its device is
    // asked for.
    if (!worker.unavailable.empty() && !worker.program.empty() && !context.quiet)
      present::say(stderr, fmt::format("{}: unavailable: {}\n", worker.name,
                                       printable(worker.unavailable, 1000)));
    for (const record::Case& info : worker.cases) {
      if (!worker.unavailable.empty() || !on_device(info, context.device)) continue;
      names.push_back(record::name(info.id));
      if (!profile || in_profile(info.device_kind).contains(names.back()))
        cases.push_back({info, worker.name});
    }
  }
  if (names.empty() && !context.device.empty()) {
    if (const run::Worker* missing = run::missing_for(workers, context.device))
      throw Error(ErrorKind::dependency,
                  fmt::format("the cases for device {} cannot be listed: {}",
                              printable(context.device), printable(missing->unavailable, 1000)),
                  missing->advice);
  }
  if (names.empty())
    throw Error(ErrorKind::usage,
                fmt::format("there are no cases for device {}", printable(context.device)),
                "ridgeline devices shows what there is");
  run::check_patterns(patterns, names);
  std::erase_if(cases, [&](const Listed& listed) {
    return !any_matches(patterns, record::name(listed.info.id));
  });
  return cases;
}

json::Value unavailable_json(const std::vector<run::Worker>& workers) {
  json::Value all = json::Value::array();
  for (const run::Worker& worker : workers)
    if (!worker.unavailable.empty())
      all.push_back({{"worker", worker.name}, {"reason", worker.unavailable}});
  return all;
}

json::Value to_json(const Listed& listed) {
  json::Value object{{"name", record::name(listed.info.id)}, {"worker", listed.worker}};
  object.update(record::to_json(listed.info));
  return object;
}

/// Without a terminal each case keeps its line, for programs that read lines.
std::size_t list_width() {
  return isatty(STDOUT_FILENO) == 1 ? present::look_of(stdout).width : present::any_width;
}

/// The same case may exist on several kinds of device: it is one line.
void print_cases(const std::vector<Listed>& cases, bool quiet) {
  std::map<std::string, std::set<std::string>> kinds;
  std::vector<std::string> order;
  for (const Listed& listed : cases) {
    const std::string name = record::name(listed.info.id);
    if (kinds[name].empty()) order.push_back(name);
    kinds[name].insert(std::string(to_string(listed.info.device_kind)));
  }
  present::Table table({{"case"}, {"devices", present::Table::Align::left, true}});
  for (const std::string& name : order)
    table.add({printable(name, 400), fmt::format("{}", fmt::join(kinds[name], ", "))});
  present::say(stdout, table.text(list_width()));
  if (!quiet) present::say(stdout, fmt::format("{}\n", units::plural(std::ssize(order), "case")));
}

struct ListedSuite {
  std::string name, question;
  std::set<std::string> cases;
};

std::vector<ListedSuite> suites_of(const std::vector<Listed>& cases,
                                   const std::vector<run::Worker>& workers) {
  std::vector<ListedSuite> suites;
  for (const Listed& listed : cases) {
    const std::string& name = listed.info.id.suite;
    auto found = std::ranges::find(suites, name, &ListedSuite::name);
    if (found == suites.end()) found = suites.insert(suites.end(), {name, {}, {}});
    found->cases.insert(record::name(listed.info.id));
  }
  for (const run::Worker& worker : workers)
    for (const protocol::Suite& suite : worker.suites)
      if (const auto found = std::ranges::find(suites, suite.name, &ListedSuite::name);
          found != suites.end())
        found->question = suite.question;
  return suites;
}

void print_suites(const std::vector<ListedSuite>& suites, bool quiet) {
  present::Table table({{"suite"},
                        {"cases", present::Table::Align::right},
                        {"asks", present::Table::Align::left, true}});
  std::int64_t cases = 0;
  for (const ListedSuite& suite : suites) {
    table.add({printable(suite.name), std::to_string(suite.cases.size()),
               printable(suite.question, 1000)});
    cases += std::ssize(suite.cases);
  }
  present::say(stdout, table.text(list_width()));
  if (!quiet)
    present::say(stdout, fmt::format("{}, {}\n", units::plural(std::ssize(suites), "suite"),
                                     units::plural(cases, "case")));
}

json::Value to_json(const ListedSuite& suite) {
  return {{"name", suite.name}, {"question", suite.question}, {"cases", suite.cases.size()}};
}

int list(const Context& context, const ListOptions& options) {
  const Words words(options.patterns);
  const std::vector<run::Worker> workers =
      run::ask_workers(with_files(context.workers, words), run::Ask::cases);
  const std::vector<Listed> cases =
      chosen_cases(context, workers, cases_of(workers, words, kind_word(context.device)));
  if (options.suites) {
    const std::vector<ListedSuite> suites = suites_of(cases, workers);
    if (context.json)
      present::print_json(
          {{"suites", json::list(suites)}, {"unavailable", unavailable_json(workers)}});
    else
      print_suites(suites, context.quiet);
  } else if (context.json) {
    present::print_json({{"cases", json::list(cases)}, {"unavailable", unavailable_json(workers)}});
  } else {
    print_cases(cases, context.quiet);
  }
  return present::fine;
}

}  // namespace

void add_list(Command program, Context& context) {
  const auto [command, options] =
      add_command(program, context, "list", "Show the cases that can be measured",
                  R"(
  ridgeline list                       all cases
  ridgeline list --suites              what each suite asks, and its cases' number
  ridgeline list gemm/naive            a suite, a variant and everything below
  ridgeline list 'gemm/*/f32'          * matches anything, also /
  ridgeline list --profile quick       what that profile measures
  ridgeline list --device cpu --json   with work, ideas and ranks)",
                  list, "nothing was listed");
  command.option("PATTERN", options.patterns,
                 "Globs on case names, and Python files of cases; without any, all cases");
  command.flag("--suites", options.suites, "Show the suites in place of their cases");
  for (const auto add : {add_device_option, add_profile_option, add_worker_option, add_json_option,
                         add_quiet_option})
    add(command, context);
}

}  // namespace ridgeline::cli
