#include "harness/process/python_worker.hpp"

#include <cstdlib>
#include <fstream>
#include <regex>

#include <fmt/core.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/installation.hpp"
#include "harness/base/shell.hpp"
#include "harness/process/home.hpp"
#include "harness/process/launcher.hpp"

namespace ridgeline::process {
namespace {

namespace fs = std::filesystem;

bool imports_package(const fs::path& file) {
  static const std::regex import(R"(^\s*(import|from)\s+ridgeline\b)");
  std::ifstream in(file);
  constexpr int most_lines = 10'000;
  constexpr std::size_t most_bytes = 400;  // of a line: std::regex recurses
  std::string line;
  for (int i = 0; i < most_lines && std::getline(in, line); ++i)
    if (line.size() < most_bytes && std::regex_search(line, import)) return true;
  return false;
}

/// Ridgeline's folder; empty where there is none: the package may be installed in Python.
fs::path home_if_any() {
  try {
    return home();
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

std::string python(const fs::path& home) {
  if (const char* named = std::getenv("RIDGELINE_PYTHON"); named && *named)
    return fs::path(named).has_parent_path() ? fs::absolute(named).string() : named;
  const fs::path own = home / ".venv" / "bin" / "python";
  const fs::path beside = program_folder() / "python3";  // a wheel's environment
  for (const fs::path& each : {own, beside})
    if (access(each.c_str(), X_OK) == 0) return each.string();
  return "python3";
}

std::string how_to_draw(const fs::path& home, const std::string& interpreter) {
  const std::string list = "reports/requirements.txt";
  std::error_code unreadable;
  if (fs::exists(home / "ci" / "setup", unreadable))
    return fmt::format("run ci/setup, or set RIDGELINE_PYTHON to a Python that has {}", list);
  const std::string installed = (home / list).string();
  if (interpreter.empty())
    return fmt::format("set RIDGELINE_PYTHON to a Python that has {}", installed);
  return fmt::format("run {}, or set RIDGELINE_PYTHON to a Python that has what that file names",
                     shell_line({interpreter, "-m", "pip", "install", "-r", installed}));
}

bool is_case_file(const fs::path& program) {
  return program.extension() == ".py" &&
         (access(program.c_str(), X_OK) != 0 || imports_package(program));
}

Command worker_command(const fs::path& program) {
  if (!is_case_file(program)) return {program, {"--worker"}, {}, false};
  const fs::path folder = home_if_any();
  const std::string named = python(folder);
  const fs::path interpreter =
      fs::path(named).has_parent_path() ? fs::path(named) : find_on_path(named);
  if (interpreter.empty() || access(interpreter.c_str(), X_OK) != 0)
    throw Error(ErrorKind::dependency,
                fmt::format("cannot start {}: there is no {}", program.string(), named),
                "set RIDGELINE_PYTHON to a Python that has NumPy");
  Command command{interpreter, {"-m", "ridgeline", program.string(), "--worker"}, {}, false};
  // Nothing in the folder where ridgeline was started takes the place of a module.
  command.environment = {{"PYTHONSAFEPATH", "1"}, {"PYTHONUTF8", "1"}};
  const fs::path package = folder / "harness" / "python";
  std::error_code unreadable;
  if (!folder.empty() && fs::is_directory(package / "ridgeline", unreadable)) {
    const char* before = std::getenv("PYTHONPATH");
    command.environment.emplace_back(
        "PYTHONPATH",
        package.string() + (before && *before ? std::string(":") + before : std::string()));
  }
  return command;
}

}  // namespace ridgeline::process
