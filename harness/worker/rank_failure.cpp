#include "harness/worker/rank_failure.hpp"

#include <string>

#include <unistd.h>

#include "harness/protocol/rank_note.hpp"

namespace ridgeline::worker {

void tell_failure(int rank, const protocol::Failure& failure) {
  constexpr unsigned patience_s = 10;
  const std::string line = protocol::to_line(protocol::RankNote{rank, failure});
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) return;  // so nobody listens
  sleep(patience_s);
}

}  // namespace ridgeline::worker
