#include "harness/process/clock.hpp"

#include <atomic>
#include <ctime>

namespace ridgeline::process {
namespace {

using std::chrono::steady_clock;

// A machine with too much to do is late, too, but not by that much.
constexpr std::chrono::seconds least_pause{1};

// The two clocks are read one after the other.
constexpr std::chrono::milliseconds least_suspension{10};

std::atomic<Clock::rep> paused_ns{0};
std::atomic<Clock::rep> suspended_ns{0};  // for which the steady clock stood still itself

std::chrono::nanoseconds read_clock(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

/// Adds what the machine was suspended for since the last call. Of one thread: the one that waits.
void note_suspension() noexcept {
  static MachineClocks last = machine_clocks();
  const MachineClocks now = machine_clocks();
  suspended_ns += suspended(last, now).count();
  last = now;
}

}  // namespace

Clock::time_point Clock::now() noexcept {
  const duration steady =
      std::chrono::duration_cast<duration>(steady_clock::now().time_since_epoch());
  return time_point(steady - duration(paused_ns.load(std::memory_order_relaxed)));
}

Deadline after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int wait(pollfd* waits, nfds_t count, int most_ms) {
  const steady_clock::time_point due = steady_clock::now() + std::chrono::milliseconds(most_ms);
  note_suspension();
  const int ready = poll(waits, count, most_ms);
  note_suspension();
  if (const auto late = steady_clock::now() - due; late > least_pause)
    paused_ns += std::chrono::duration_cast<Clock::duration>(late).count();
  return ready;
}

MachineClocks machine_clocks() noexcept {
  return {read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_BOOTTIME)};
}

std::chrono::nanoseconds suspended(const MachineClocks& before,
                                   const MachineClocks& after) noexcept {
  const std::chrono::nanoseconds slept =
      (after.boottime - before.boottime) - (after.monotonic - before.monotonic);
  return slept < least_suspension ? std::chrono::nanoseconds::zero() : slept;
}

double paused_s() noexcept {
  return 1e-9 * static_cast<double>(paused_ns.load() + suspended_ns.load());
}

}  // namespace ridgeline::process
