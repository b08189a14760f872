#include "harness/process/descendants.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ridgeline::process {
namespace {

struct Stat {
  char state = 0;
  pid_t parent = 0;
};

/// Zeros when the process is gone. The name in /proc/PID/stat may hold anything, so fields are read
/// after its last ')'.
Stat stat_of(pid_t pid) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(pid));
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  char text[512];
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return {};
  text[length] = '\0';
  const char* after_name = std::strrchr(text, ')');
  Stat found;
  if (!after_name || std::sscanf(after_name + 1, " %c %d", &found.state, &found.parent) != 2)
    return {};
  return found;
}

}  // namespace

RunState run_state(pid_t pid) {
  switch (stat_of(pid).state) {
    case 'T':
      return RunState::stopped;
    case 't':
      return RunState::traced;
    case 0:
    case 'Z':
    case 'X':
      return RunState::ended;
    default:
      return RunState::can_run;
  }
}

pid_t parent_of(pid_t pid) { return stat_of(pid).parent; }

std::vector<pid_t> descendants(pid_t root) {
  std::vector<std::pair<pid_t, pid_t>> children;  // a parent and its child
  if (DIR* folder = opendir("/proc")) {
    while (const dirent* entry = readdir(folder)) {
      const pid_t pid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
      if (pid > 0) children.emplace_back(stat_of(pid).parent, pid);
    }
    closedir(folder);
  }
  std::sort(children.begin(), children.end());
  std::vector<pid_t> found{root};
  for (std::size_t i = 0; i < found.size() && found.size() <= children.size(); ++i)
    for (auto child = std::lower_bound(children.begin(), children.end(), std::pair(found[i], 0));
         child != children.end() && child->first == found[i]; ++child)
      found.push_back(child->second);
  found.erase(found.begin());
  return found;
}

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

void end_descendants() noexcept {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(longest_end_s);
  for (unsigned wait_us = 500; std::chrono::steady_clock::now() < give_up;
       wait_us = std::min(wait_us * 2, 50'000u)) {
    // What is stopped does not fork while the others are found: a program that forks for ever ends
    // after a few rounds.
    const std::vector<pid_t> found = descendants(getpid());
    for (const int number : {SIGSTOP, SIGKILL})
      for (const pid_t pid : found) kill(pid, number);
    pid_t ended = 1;
    for (std::size_t i = 0; i <= found.size() && ended > 0; ++i)
      ended = waitpid(-1, nullptr, WNOHANG);
    if (ended < 0 && errno == ECHILD) return;
    usleep(wait_us);
  }
}

}  // namespace ridgeline::process
