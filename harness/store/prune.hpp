#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/store/store.hpp"

namespace ridgeline::store {

/// What a run would lose if its samples were dropped.
struct Prunable {
  std::string run_id;
  std::string sampled;            // when its latest process started; UTC, ISO 8601 to the second
  std::int64_t measurements = 0;  // with samples
  std::int64_t samples = 0, bytes = 0;  // of those
  std::vector<std::string> baselines;   // names that stand for the run
};

/// The runs that have samples, all of them taken before `before` (UTC, ISO 8601 to the second),
/// oldest first.
std::vector<Prunable> prunable(Connection& connection, const std::string& before);
/// Drops the samples of a run; all else of its measurements stays, their medians too. Returns how
/// many samples.
std::int64_t prune(Connection& connection, std::string_view run_id, const std::string& now);
/// Gives the space of what was dropped back to the file system: writes the file anew. Others wait
/// meanwhile.
void shrink(Connection& connection);

}  // namespace ridgeline::store
