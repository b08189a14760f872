#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/analysis/report_data.hpp"
#include "harness/base/error.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/json_output.hpp"
#include "harness/run/home.hpp"
#include "harness/run/timestamp.hpp"
#include "harness/store/selector.hpp"

extern char** environ;

namespace ridgeline::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string selector;  // empty: the newest finished run of each model
  std::string gate;      // empty: the newest finished gate of each of these models
  fs::path output;       // empty: report/ in the results folder
};

/// The newest of `all`, which are sorted so, that is finished, for each device model; where none is, the newest one.
/// The page says which.
template <class Found>
std::vector<Found> newest_of_each_model(std::vector<Found> all, bool (*finished)(const Found&)) {
  std::map<std::string, Found> newest;
  for (Found& found : all) {
    const auto [place, added] = newest.try_emplace(found.summary.device.model, found);
    if (!added && !finished(place->second) && finished(found)) place->second = std::move(found);
  }
  std::vector<Found> chosen;
  for (auto& [model, found] : newest) chosen.push_back(std::move(found));
  return chosen;
}

/// Of runs that hold something and were not measured for a gate.
std::vector<store::FoundRun> newest_runs(const fs::path& results) {
  std::vector<store::FoundRun> runs = store::all_runs(results, say_left_out);
  std::erase_if(runs, [](const store::FoundRun& found) {
    return found.summary.measurements == 0 || !found.summary.run.gate.empty();
  });
  return newest_of_each_model<store::FoundRun>(std::move(runs), [](const store::FoundRun& found) {
    return found.summary.run.status == record::RunStatus::finished;
  });
}

/// Of gates that say something.
std::vector<store::FoundGate> newest_gates(const fs::path& results) {
  std::vector<store::FoundGate> gates = store::all_gates(results, [](const Error&) {});
  std::erase_if(gates, [](const store::FoundGate& found) { return found.summary.verdicts.empty(); });
  return newest_of_each_model<store::FoundGate>(std::move(gates), [](const store::FoundGate& found) {
    return found.summary.gate.status == record::RunStatus::finished;
  });
}

/// What the report is about.
struct Chosen {
  std::vector<store::FoundRun> runs;
  std::vector<store::FoundGate> gates;
};

Chosen choose(const fs::path& results, const Options& options) {
  Chosen chosen;
  chosen.runs = options.selector.empty() ? newest_runs(results)
                                         : std::vector{store::find_run(results, options.selector, say_left_out)};
  chosen.gates =
      options.gate.empty() ? newest_gates(results) : std::vector{store::find_gate(results, options.gate, say_left_out)};
  if (!options.selector.empty() && options.gate.empty())
    std::erase_if(chosen.gates, [&](const store::FoundGate& gate) {
      return gate.summary.device.model != chosen.runs.front().summary.device.model;
    });
  if (chosen.runs.empty() && chosen.gates.empty())
    throw Error(ErrorKind::store, fmt::format("no run in {} holds a measurement", results.string()),
                "ridgeline run measures some");
  return chosen;
}

[[noreturn]] void cannot_write(const fs::path& file, const std::string& why) {
  throw Error(ErrorKind::store, fmt::format("cannot write {}: {}", file.string(), why),
              "--output names another folder");
}

/// Writes beside the file first, so that there is never half a document.
void write_document(const fs::path& file, const std::string& text) {
  std::error_code failure;
  fs::create_directories(file.parent_path(), failure);
  if (failure) cannot_write(file, failure.message());
  const fs::path part = file.string() + ".part";
  std::ofstream stream(part, std::ios::binary);
  stream << text << '\n';
  stream.close();
  if (!stream) cannot_write(file, std::strerror(errno));
  fs::rename(part, file, failure);
  if (failure) cannot_write(file, failure.message());
}

/// $RIDGELINE_PYTHON, else the .venv of Ridgeline's folder, else the python3 on the PATH.
std::string python(const fs::path& home) {
  if (const char* named = std::getenv("RIDGELINE_PYTHON"); named && *named) return named;
  const fs::path own = home / ".venv" / "bin" / "python";
  return access(own.c_str(), X_OK) == 0 ? own.string() : "python3";
}

/// The environment with which Python finds this clone's package `reports`, and no other.
std::vector<std::string> python_environment(const fs::path& home) {
  std::vector<std::string> lines{"PYTHONPATH=" + home.string(), "PYTHONSAFEPATH=1", "PYTHONDONTWRITEBYTECODE=1"};
  for (char** entry = environ; *entry; ++entry) {
    const std::string line = *entry;
    if (!line.starts_with("PYTHONPATH=") && !line.starts_with("PYTHONSAFEPATH=")) lines.push_back(line);
  }
  return lines;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

/// Whether `interpreter` does what a Python is told to do.
bool is_python(const std::string& interpreter) {
  constexpr int chosen = 42;
  std::vector<std::string> arguments{interpreter, "-c", fmt::format("raise SystemExit({})", chosen)};
  pid_t child = 0;
  if (posix_spawnp(&child, interpreter.c_str(), nullptr, nullptr, pointers(arguments).data(), environ) != 0)
    return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == chosen;
}

/// Runs the package `reports`; its messages go to our stderr, its headlines to our stdout when they are `shown`. Throws
/// when it does not end well.
void draw(const fs::path& document, const fs::path& output, bool shown) {
  std::fflush(stdout);
  const fs::path home = run::home();
  const std::string interpreter = python(home);
  std::vector<std::string> arguments{interpreter, "-m", "reports", document.string(), "--output", output.string()};
  std::vector<std::string> environment = python_environment(home);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (!shown) posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int refused = posix_spawnp(&child, interpreter.c_str(), &actions, nullptr, pointers(arguments).data(),
                                   pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (refused != 0)
    throw Error(ErrorKind::dependency,
                fmt::format("cannot draw the report: {} does not start: {}", interpreter, std::strerror(refused)),
                "run ci/setup, or set RIDGELINE_PYTHON to a Python that has reports/requirements.txt");
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      throw Error(ErrorKind::internal, fmt::format("lost sight of {}: {}", interpreter, std::strerror(errno)));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  const bool missing = WIFEXITED(status) && WEXITSTATUS(status) == static_cast<int>(ErrorKind::dependency);
  const bool unwritable = WIFEXITED(status) && WEXITSTATUS(status) == static_cast<int>(ErrorKind::store);
  if (WIFEXITED(status) && !missing && !unwritable && !is_python(interpreter))
    throw Error(ErrorKind::dependency, fmt::format("cannot draw the report: {} is no Python", interpreter),
                "run ci/setup, or set RIDGELINE_PYTHON to a Python that has reports/requirements.txt");
  throw Error(missing      ? ErrorKind::dependency
              : unwritable ? ErrorKind::store
                           : ErrorKind::internal,
              WIFEXITED(status)
                  ? fmt::format("cannot draw the report: {} exited with code {}", interpreter, WEXITSTATUS(status))
                  : fmt::format("cannot draw the report: {} was killed by signal {}", interpreter, WTERMSIG(status)),
              fmt::format("its data is complete in {}; to draw it: {} -m reports {} --output {}", document.string(),
                          interpreter, document.string(), output.string()));
}

int report(const Context& context, const Options& options) {
  const fs::path output = options.output.empty() ? context.results / "report" : options.output;
  const Chosen chosen = choose(context.results, options);
  std::vector<analysis::ReportRun> runs;
  for (const store::FoundRun& one : chosen.runs)
    runs.push_back(analysis::read_report_run(store::Store::open(one.file), one.summary));
  std::vector<analysis::ReportGate> gates;
  for (const store::FoundGate& one : chosen.gates)
    gates.push_back(analysis::read_report_gate(store::Store::open(one.file), one.summary));
  const fs::path document = output / "report.json", page = output / "index.html";
  write_document(document, analysis::report_document(runs, gates, run::timestamp(), RIDGELINE_VERSION)
                               .dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  if (!context.quiet && !context.json) {
    for (const store::FoundRun& one : chosen.runs)
      fmt::print("run {} on {}, {}\n", one.summary.run.id, one.summary.device.model,
                 record::to_string(one.summary.run.status));
    for (const store::FoundGate& one : chosen.gates)
      fmt::print("gate {} on {}, {}\n", one.summary.gate.id, one.summary.device.model,
                 record::to_string(one.summary.gate.status));
  }
  draw(document, output, !context.quiet && !context.json);
  if (context.json) {
    nlohmann::ordered_json said{{"page", page.string()},
                                {"figures", (output / "figures").string()},
                                {"data", document.string()},
                                {"runs", nlohmann::ordered_json::array()},
                                {"gates", nlohmann::ordered_json::array()}};
    for (const store::FoundRun& one : chosen.runs) said["runs"].push_back(one.summary.run.id);
    for (const store::FoundGate& one : chosen.gates) said["gates"].push_back(one.summary.gate.id);
    print_json(said);
    return fine;
  }
  fmt::print("report: {}\n", page.string());
  return fine;
}

}  // namespace

void add_report(CLI::App& program, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App& command =
      add_command(program, context, "report", "Draw what was measured as one HTML page and PNG figures",
                  "  ridgeline report                     the newest finished run and gate of each device model\n"
                  "  ridgeline report latest              the newest run of all\n"
                  "  ridgeline report h200@label:tuned    that model's newest run with that label\n"
                  "  ridgeline report --gate latest       with this gate in place of each model's newest\n"
                  "  ridgeline report --output page       elsewhere than in results/report",
                  [&context, options] { return report(context, *options); });
  command.add_option("RUN", options->selector, "A run: latest, an id's beginning, label:, commit:, MODEL@...");
  command.add_option("--gate", options->gate, "A gate: latest, an id's beginning, MODEL@...")->type_name("GATE");
  command.add_option("--output", options->output, "Folder for index.html, report.json and figures/")->type_name("DIR");
  add_results_option(command, context);
  add_json_option(command, context);
  add_quiet_option(command, context);
}

}  // namespace ridgeline::cli
