#include "harness/base/killed_by_opening.hpp"

#include <algorithm>
#include <array>
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

/// What a library does to its program. Others come from outside: SIGKILL where memory is short, or
/// SIGTERM where somebody ends all.
constexpr std::array faults = {SIGBUS, SIGSEGV, SIGILL, SIGFPE, SIGABRT};

/// Never returns. What it is killed by is the answer: no handler of the program is in the way, and
/// no core is written. SIGALRM ends its patience, also where this thread has blocked signals.
[[noreturn]] void open_and_exit(const char* name, unsigned patience_s) {
  for (const int number : faults) std::signal(number, SIG_DFL);
  std::signal(SIGALRM, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  alarm(patience_s);
  dlopen(name, RTLD_NOW | RTLD_LOCAL);
  _exit(0);
}

}  // namespace

std::string killed_by_opening(const char* name, unsigned patience_s) {
  const pid_t child = fork();
  if (child == 0) open_and_exit(name, patience_s);
  if (child < 0) return {};
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return {};
  if (!WIFSIGNALED(status)) return {};
  const int number = WTERMSIG(status);
  if (std::ranges::find(faults, number) == faults.end()) return {};
  return fmt::format("SIG{} ({})", sigabbrev_np(number), sigdescr_np(number));
}

}  // namespace ridgeline
