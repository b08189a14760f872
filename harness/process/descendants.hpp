#pragma once

#include <vector>

#include <sys/types.h>

namespace ridgeline::process {

/// Processes below `root`, itself left out, as /proc shows them now.
std::vector<pid_t> descendants(pid_t root);

/// Whether a process can run: it is stopped by a signal, held by a debugger, or has ended.
enum class RunState { can_run, stopped, traced, ended };
RunState run_state(pid_t pid);

/// 0 when the process is gone.
pid_t parent_of(pid_t pid);

/// Makes the calling process the parent that orphans below it fall to, so that none gets away from
/// end_descendants().
void adopt_orphans();

/// What end_descendants() takes at most.
inline constexpr int longest_end_s = 10;

/// Kills everything below the calling process and waits for it, also for what is forked meanwhile.
/// The calling process must adopt orphans. Returns when it has no child left, or gives up on what
/// forks faster than it can be killed.
void end_descendants() noexcept;

/// While one exists, orphans fall to the calling process; its end ends all that is below it.
struct Household {
  Household() { adopt_orphans(); }
  Household(const Household&) = delete;
  Household& operator=(const Household&) = delete;
  ~Household() { end_descendants(); }
};

}  // namespace ridgeline::process
