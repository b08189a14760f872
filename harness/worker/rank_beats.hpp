#pragma once

#include <chrono>
#include <string>
#include <thread>

#include <sys/types.h>
#include <unistd.h>

#include "harness/measure/group.hpp"

namespace ridgeline::worker {

/// When a rank says that it is there.
struct Occasion {
  std::chrono::milliseconds period{-1};  // so often; -1: not by itself
  int asked = -1;  // whenever something arrives on this descriptor, which is read; -1: never
};

/// The first after a second, so that what is quick is left alone.
inline constexpr Occasion each_second{std::chrono::seconds(1), -1};
/// By a line of the standard input, which a launcher carries to ranks of other hosts.
inline constexpr Occasion when_asked{std::chrono::milliseconds(-1), STDIN_FILENO};

/// While it lives, says again and again that this rank is there (protocol::Beat), from a thread of
/// its own that takes some 10 us per beat. Whether the rank is idle is told of the thread that made
/// this, as Linux counts what it ran and waited for a processor; where that is not counted, it is
/// never idle. A beat that `to`, a pipe, has no place for is left out.
class RankBeats {
 public:
  RankBeats(const measure::Group& group, Occasion occasion, int to = STDERR_FILENO);
  RankBeats(const RankBeats&) = delete;
  ~RankBeats();

 private:
  void beat() const;

  const measure::Group& group_;
  Occasion occasion_;
  int to_, rank_, end_ = -1;
  pid_t watched_;
  std::string token_;
  std::thread thread_;
};

}  // namespace ridgeline::worker
