#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>

namespace ridgeline::emulated {

/// What ends a program without a line: an access that nobody has looked at, a division by zero, a
/// trap, a loop without an access that never ends. While this lives, such a signal in a kernel on
/// the thread that made it ends the launch with a finding, as other mistakes do. Signals of host
/// code are left to whoever had them before.
class Faults {
 public:
  /// Throws when the system gives no memory or no timer.
  Faults();
  Faults(const Faults&) = delete;
  ~Faults();

  /// Seconds of processor time for which a lane may go on without an access to memory.
  static void allow_idle(double seconds);

 private:
  std::unique_ptr<std::byte[]> stacks_;  // of the handler, and of what it goes on to
  timer_t timer_{};
};

}  // namespace ridgeline::emulated
