#include "harness/process/descendants.hpp"

#include <algorithm>
#include <cerrno>
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

/// Parent of a process, 0 when it is gone. The name in /proc/PID/stat may hold anything, so fields
/// are read after its last ')'.
pid_t parent_of(pid_t pid) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(pid));
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[512];
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return 0;
  text[length] = '\0';
  const char* after_name = std::strrchr(text, ')');
  char state = 0;
  int parent = 0;
  if (!after_name || std::sscanf(after_name + 1, " %c %d", &state, &parent) != 2) return 0;
  return parent;
}

}  // namespace

std::vector<pid_t> descendants(pid_t root) {
  std::vector<std::pair<pid_t, pid_t>> parents;  // child, its parent
  if (DIR* folder = opendir("/proc")) {
    while (const dirent* entry = readdir(folder)) {
      const pid_t pid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
      if (pid > 0) parents.emplace_back(pid, parent_of(pid));
    }
    closedir(folder);
  }
  std::vector<pid_t> found{root};
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const auto& [child, parent] : parents)
      if (parent == found[i] && std::find(found.begin(), found.end(), child) == found.end())
        found.push_back(child);
  found.erase(found.begin());
  return found;
}

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

void end_descendants() noexcept {
  for (unsigned wait_us = 500;; wait_us = std::min(wait_us * 2, 50'000u)) {
    for (const pid_t pid : descendants(getpid())) kill(pid, SIGKILL);
    pid_t ended = 0;
    do ended = waitpid(-1, nullptr, WNOHANG);
    while (ended > 0 || (ended < 0 && errno == EINTR));
    if (ended < 0) return;
    usleep(wait_us);
  }
}

}  // namespace ridgeline::process
