#include "harness/device/waiting.hpp"

#include <chrono>
#include <thread>
#include <utility>

namespace ridgeline::device {
namespace {

using Clock = std::chrono::steady_clock;

// Most waits are shorter than the first, in which nothing is slept away. What is timed is timed by
// the GPU, so that a late look costs no more than itself.
constexpr std::chrono::milliseconds awake{1}, between_looks{20};
constexpr std::chrono::microseconds nap{20};

std::function<void()>& current() {
  static std::function<void()> look;
  return look;
}

}  // namespace

void while_waiting(std::function<void()> look) { current() = std::move(look); }

bool wait_looking(const std::function<bool()>& is_done) {
  const std::function<void()>& look = current();
  if (!look) return false;
  const Clock::time_point start = Clock::now();
  for (Clock::time_point next_look = start + between_looks; !is_done();) {
    const Clock::time_point now = Clock::now();
    if (now >= next_look) {
      look();
      next_look = now + between_looks;
    }
    if (now - start > awake) std::this_thread::sleep_for(nap);
  }
  return true;
}

}  // namespace ridgeline::device
