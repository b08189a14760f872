#pragma once

#include <chrono>

#include <poll.h>

namespace ridgeline::process {

/// Time in which this process could run: a steady clock that stands still while the process was
/// stopped, or its machine was, as far as wait() has noticed. Deadlines and budgets count by it, so
/// that a pause of the machine is not blamed on a worker.
struct Clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Clock>;
  static constexpr bool is_steady = true;
  static time_point now() noexcept;
};
using Deadline = Clock::time_point;

Deadline after(double seconds);
double seconds_since(Clock::time_point start);

/// poll(), for at most `most_ms`. Where it comes back more than a second later than that, the time
/// beyond counts as a pause.
int wait(pollfd* waits, nfds_t count, int most_ms);

/// Clocks of the machine. The first stands still while it is suspended, and the second does not.
struct MachineClocks {
  std::chrono::nanoseconds monotonic{}, boottime{};
};
MachineClocks machine_clocks() noexcept;
/// For how long the machine was suspended between two readings.
std::chrono::nanoseconds suspended(const MachineClocks& before,
                                   const MachineClocks& after) noexcept;

/// All pauses so far, in seconds, those among them in which the machine was suspended.
double paused_s() noexcept;

}  // namespace ridgeline::process
