#pragma once

#include <exception>

namespace ridgeline::process {

/// Thrown out of a wait when the user or the system asked ridgeline to stop.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

/// While one exists, the first SIGINT, SIGTERM or SIGHUP is noted, and one that comes a second or
/// more later ends the process at once with exit code 130; the guards then end the workers. What
/// comes sooner is the same wish once more: `timeout` sends it to the process and then to its
/// group, and so does a terminal beside a shell. Only one at a time.
class Interrupt {
 public:
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  ~Interrupt();

  /// Readable once asked to stop; -1 when there is no Interrupt.
  static int descriptor();
  static bool requested();
  static void check() {
    if (requested()) throw Interrupted();
  }
};

}  // namespace ridgeline::process
