#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/store/store.hpp"

namespace ridgeline::store {

/// What merge did with the runs and gates of another file.
struct Merged {
  struct Count {
    int added = 0;     // were not there
    int extended = 0;  // were there, and had gone on since
    int known = 0;     // were there with all that the other file has
  };
  Count runs, gates;
  Count told;  // changes of nights that were told; extended: told or answered again since
  std::int64_t measurements = 0;  // added
  std::vector<Error> refused;     // each about one run, gate or told change that was left out:
                                  // damaged, or another of the same id
};

/// Adds to `target` what `source`, of the same device model, has and it has not: runs and gates, by
/// id, each in a transaction of its own, and what was told of nights. What is there stays: of a run
/// that both have, one must go on where the other ends. Samples that were dropped there stay
/// dropped. Names of baselines are not taken over. Another process may be writing to either file.
/// `now` is in UTC: what a wrong clock dates after it yields to what is dated before.
Merged merge(Connection& target, Connection& source, std::string_view now);

}  // namespace ridgeline::store
