#include "harness/cli/report_draw.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/process/home.hpp"

extern char** environ;

namespace ridgeline::cli {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

void draw_report(const fs::path& document, const fs::path& output, bool shown) {
  std::fflush(stdout);
  const fs::path home = process::home();
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

}  // namespace ridgeline::cli
