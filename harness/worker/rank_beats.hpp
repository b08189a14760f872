#pragma once

#include <chrono>
#include <string>
#include <thread>

#include <sys/types.h>
#include <unistd.h>

#include "harness/measure/group.hpp"

namespace ridgeline::worker {

/// While it lives, says again and again that this rank is there (protocol::Beat), from a thread of
/// its own that takes some 10 us per beat; the first after one `period`, so that what is quick is
/// left alone. Whether the rank is idle is told of the thread that made this, as Linux counts what
/// it ran and waited for a processor; where that is not counted, it is never idle. A beat that
/// `to`, a pipe, has no place for is left out.
class RankBeats {
 public:
  explicit RankBeats(const measure::Group& group,
                     std::chrono::milliseconds period = std::chrono::seconds(1),
                     int to = STDERR_FILENO);

 private:
  void beat(const std::stop_token& stop) const;

  const measure::Group& group_;
  std::chrono::milliseconds period_;
  int to_, rank_;
  pid_t watched_;
  std::string token_;
  std::jthread thread_;  // the last: it reads the others
};

}  // namespace ridgeline::worker
