#include "harness/process/clock.hpp"

#include <atomic>

namespace ridgeline::process {
namespace {

using std::chrono::steady_clock;

// A machine with too much to do is late, too, but not by that much.
constexpr std::chrono::seconds least_pause{1};

std::atomic<Clock::rep> paused_ns{0};

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
  const int ready = poll(waits, count, most_ms);
  if (const auto late = steady_clock::now() - due; late > least_pause)
    paused_ns += std::chrono::duration_cast<Clock::duration>(late).count();
  return ready;
}

double paused_s() noexcept { return 1e-9 * static_cast<double>(paused_ns.load()); }

}  // namespace ridgeline::process
