#pragma once

#include "harness/protocol/messages.hpp"

namespace ridgeline::worker {

/// Says on standard error why `rank`, which is not 0, cannot go on (protocol::RankNote), and waits
/// for whoever listens to end all ranks. Returns after several seconds, when nobody has: a launcher
/// that is told to end them at once may lose what it was still to carry, and rank 0 what it was
/// about to answer.
void tell_failure(int rank, const protocol::Failure& failure);

}  // namespace ridgeline::worker
