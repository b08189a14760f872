#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/gate/commit_build.hpp"

namespace ridgeline::gate {

/// The commits that came after a good one, up to a bad one.
struct CommitRange {
  std::vector<Commit> commits;                    // oldest first; the last is the bad one
  std::vector<std::vector<std::size_t>> parents;  // of each, as places in `commits`
};

/// Those along first parents, where a merge stands for all that it brought; with `into_merges` all
/// that have `good` among their ancestors. Throws a usage Error unless `good` is an ancestor of
/// `bad`, and for more commits than a search takes.
CommitRange commits_between(const Commit& good, const Commit& bad, bool into_merges);

/// How many commits a search from `good` to `bad`, whole or short hashes, would have along first
/// parents; absent where the current folder's repository does not know them, or one is no ancestor
/// of the other.
std::optional<std::size_t> count_between(const std::string& good, const std::string& bad);

}  // namespace ridgeline::gate
