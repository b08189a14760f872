#include "harness/cli/run_all.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/siblings.hpp"
#include "harness/base/error.hpp"
#include "harness/base/installation.hpp"
#include "harness/base/json.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/cli/case_files.hpp"
#include "harness/present/exit_code.hpp"
#include "harness/present/json_output.hpp"
#include "harness/present/siblings.hpp"
#include "harness/process/home.hpp"
#include "harness/process/interrupt.hpp"
#include "harness/process/side_by_side.hpp"
#include "harness/run/selection.hpp"
#include "harness/run/timestamp.hpp"
#include "harness/run/typed_numbers.hpp"
#include "harness/store/selector.hpp"

namespace ridgeline::cli {
namespace {

constexpr int polite_ms = 5000;  // for a run to store that it was interrupted

void check_options(const RunOptions& options) {
  const std::pair<const char*, bool> of_one_run[] = {{"--resume", !options.resume.empty()},
                                                     {"--repeat-of", !options.repeat_of.empty()},
                                                     {"--dry-run", options.dry_run},
                                                     {"--expect-ranks", options.ranks.has_value()},
                                                     {"--launcher", !options.launcher.empty()},
                                                     {"--hosts", !options.hosts.empty()}};
  for (const auto& [name, given] : of_one_run)
    if (given)
      throw Error(ErrorKind::usage, fmt::format("{} does not go with --device all", name),
                  "name one device; ridgeline devices lists them");
}

std::vector<record::Device> gpus(const std::vector<run::Worker>& workers) {
  std::vector<record::Device> found = run::devices_of(workers);
  std::erase_if(found, [](const auto& device) { return device.kind != DeviceKind::cuda; });
  if (found.empty())
    throw Error(ErrorKind::usage, "there is no GPU here for --device all",
                "ridgeline devices shows what there is, and why a GPU is missing");
  return found;
}

/// How the chosen cases are measured on all GPUs.
struct Way {
  std::set<std::string> left_out;  // suites
  bool has_left_out_peers = false;
  bool in_turn = false;  // one GPU after the other
};

/// Suites of which a case has several ranks are left out. A case that uses another GPU beside its
/// own would disturb what that one measures: with others such cases are left out, too, and alone
/// they are measured in turn.
Way way_of(const std::vector<run::Selected>& cases) {
  std::set<std::string> of_ranks, of_peers, others;
  for (const run::Selected& each : cases)
    (!each.worker->hello.launcher.empty() ? of_ranks
     : record::has_peer(each.info.id)     ? of_peers
                                          : others)
        .insert(each.info.id.suite);
  if (others.empty() && of_peers.empty())
    throw Error(ErrorKind::usage, "cases of several ranks use all GPUs by themselves",
                "leave out --device all");
  Way way{std::move(of_ranks), false, others.empty()};
  if (way.in_turn || of_peers.empty()) return way;
  way.left_out.merge(of_peers);
  way.has_left_out_peers = true;
  return way;
}

/// A run of one device, as its program told.
struct RunOfDevice {
  record::Device device;
  process::Ended ended;
  std::optional<json::Value> told;  // absent when it failed

  int exit_code() const {
    // A program that was killed, or one that cannot say what it did.
    if (!ended.exit_code || (*ended.exit_code == present::fine && !told))
      return static_cast<int>(ErrorKind::internal);
    return *ended.exit_code;
  }
};

std::string told_text(const RunOfDevice& run) {
  const std::string device = printable(run.device.id);
  if (!run.told) return fmt::format("{}: the run {}\n", device, run.ended.ending);
  std::map<std::string, int> outcomes;
  for (const json::Value& each : run.told->at("cases").elements())
    ++outcomes[each.at("outcome").text()];
  std::vector<std::string> parts;
  for (const auto& [outcome, count] : outcomes)
    parts.push_back(fmt::format("{} {}", count, printable(outcome)));
  return fmt::format("{}: run {}, {}: {}\n", device, printable(run.told->at("run").text()),
                     units::plural(std::ssize(run.told->at("cases").elements()), "case"),
                     fmt::join(parts, ", "));
}

/// What came of each; empty when the user interrupts them, which each has stored then.
std::vector<process::Ended> measured(
    const std::vector<process::Command>& commands, bool in_turn,
    const std::function<void(std::size_t, std::string_view)>& said) try {
  if (!in_turn) return process::run_side_by_side(commands, said);
  std::vector<process::Ended> ended;
  for (const process::Command& command : commands) {
    const std::size_t number = ended.size();
    ended.push_back(
        std::move(process::run_side_by_side({command}, [&](std::size_t, std::string_view line) {
                    said(number, line);
                  }).front()));
  }
  return ended;
} catch (const process::Interrupted&) {
  return {};
}

/// Of each model with several devices here that have a run.
std::vector<std::vector<analysis::SiblingsOfSuite>> siblings_of(
    const std::string& results, const std::vector<RunOfDevice>& runs) {
  std::map<std::string, std::vector<analysis::SiblingRun>> by_model;
  for (const RunOfDevice& run : runs) {
    if (!run.told) continue;
    const store::Store store = store::Store::open(store::file_of_model(results, run.device.model));
    by_model[run.device.model].push_back(
        {run.device.id, store::timings(store, run.told->at("run").text())});
  }
  std::vector<std::vector<analysis::SiblingsOfSuite>> found;
  for (const auto& [model, of_model] : by_model)
    if (auto suites = analysis::compare_siblings(of_model); !suites.empty())
      found.push_back(std::move(suites));
  return found;
}

int exit_code(const std::vector<RunOfDevice>& runs) {
  std::set<int> codes;
  for (const RunOfDevice& run : runs) codes.insert(run.exit_code());
  if (codes.contains(present::interrupted)) return present::interrupted;
  for (const int code : codes)
    if (code > present::undecided) return code;
  return codes.contains(present::not_all_measured) ? present::not_all_measured : *codes.rbegin();
}

}  // namespace

std::vector<std::string> arguments_for(const std::vector<std::string>& arguments,
                                       const std::string& device,
                                       const std::vector<std::string>& more) {
  std::vector<std::string> made;
  bool is_device = false, are_patterns = false;
  for (const std::string& word : arguments) {
    if (is_device)
      made.push_back(device);
    else if (!are_patterns && word == fmt::format("--device={}", all_gpus))
      made.push_back("--device=" + device);
    else if (are_patterns || word != "--json")
      made.push_back(word);
    if (made.size() == 1) {  // the command
      made.insert(made.end(), more.begin(), more.end());
      made.push_back("--json");
    }
    is_device = !is_device && !are_patterns && word == "--device";
    are_patterns = are_patterns || word == "--";
  }
  return made;
}

int run_on_all(const Context& context, const RunOptions& options) {
  check_options(options);
  const std::filesystem::path home = process::home();
  const Words words(options.patterns);
  const std::vector<run::Worker> workers =
      run::ask_workers(with_files(context.workers, words), run::Ask::cases_and_devices);
  const std::vector<record::Device> devices = gpus(workers);
  if (!options.budget.empty()) run::parse_budget(options.budget);  // a mistake is told once
  const run::Profile profile =
      run::load_profile(context.profile.empty() ? "quick" : context.profile, home);
  std::vector<std::string> more;
  std::vector<run::Selected> chosen =
      run::select(workers, devices.front(), profile,
                  cases_of(workers, words, to_string(devices.front().kind)), home);
  std::erase_if(chosen, [&](const run::Selected& each) {
    return !options.excluded.empty() && any_matches(options.excluded, each.name);
  });
  const Way way = way_of(chosen);
  for (const std::string& suite : way.left_out) more.insert(more.end(), {"--exclude", suite});
  if (options.seed.empty())
    more.insert(more.end(), {"--seed", std::to_string(run::parse_seed(options.seed))});

  std::FILE* out = context.json ? stderr : stdout;  // for people
  if (way.has_left_out_peers)
    present::say(out,
                 "cases between two GPUs are left out: chosen without others, they are measured "
                 "on one GPU after the other\n");
  std::vector<process::Command> commands;
  for (const record::Device& device : devices) {
    process::Command command{
        program_folder() / "ridgeline", arguments_for(context.arguments, device.id, more), {}};
    command.polite_ms = polite_ms;
    commands.push_back(std::move(command));
  }
  std::vector<process::Ended> ended =
      measured(commands, way.in_turn, [&](std::size_t number, std::string_view line) {
        present::say(out,
                     fmt::format("{}: {}\n", printable(devices[number].id), printable(line, 4000)));
      });
  if (ended.empty()) {
    present::say(stderr,
                 "ridgeline: interrupted; what was measured until then is stored, a run for each "
                 "GPU: ridgeline runs shows them\n");
    return present::interrupted;
  }
  std::vector<RunOfDevice> runs;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    std::optional<json::Value> told = json::try_parse(ended[i].output);
    runs.push_back({devices[i], std::move(ended[i]), std::move(told)});
  }
  const auto siblings = siblings_of(context.results, runs);
  const int code = exit_code(runs);
  if (context.json) {
    present::print_json({{"runs", json::list(runs,
                                             [](const RunOfDevice& run) {
                                               return run.told ? *run.told
                                                               : json::Value{
                                                                     {"device", run.device.id},
                                                                     {"failed", run.ended.ending}};
                                             })},
                         {"siblings", json::list(siblings,
                                                 [](const auto& suites) {
                                                   return json::list(suites, [](const auto& suite) {
                                                     return present::to_json(suite);
                                                   });
                                                 })},
                         {"exit_code", code}});
    return code;
  }
  present::say(stdout, "\n");
  for (const RunOfDevice& run : runs) present::say(stdout, told_text(run));
  for (const auto& suites : siblings)
    present::say(stdout, "\n" + present::siblings_text(suites, present::look_of(stdout).width));
  return code;
}

}  // namespace ridgeline::cli
