#include "harness/base/killed_by_opening.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <dlfcn.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ridgeline {
namespace {

constexpr unsigned patience_s = 10;

/// Never returns. What it is killed by is the answer: no handler of the program is in the way, and
/// no core is written.
[[noreturn]] void open_and_exit(const char* name) {
  for (const int number : {SIGBUS, SIGSEGV, SIGILL, SIGFPE, SIGABRT, SIGALRM})
    std::signal(number, SIG_DFL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  alarm(patience_s);
  dlopen(name, RTLD_NOW | RTLD_LOCAL);
  _exit(0);
}

}  // namespace

std::string killed_by_opening(const char* name) {
  const pid_t child = fork();
  if (child == 0) open_and_exit(name);
  if (child < 0) return {};
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return {};
  if (!WIFSIGNALED(status)) return {};
  const int number = WTERMSIG(status);
  return fmt::format("SIG{} ({})", sigabbrev_np(number), sigdescr_np(number));
}

}  // namespace ridgeline
