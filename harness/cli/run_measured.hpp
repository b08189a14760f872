#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/cli/command.hpp"
#include "harness/present/repeat_of.hpp"
#include "harness/present/resume_of.hpp"
#include "harness/run/drive.hpp"

namespace ridgeline::cli {

/// Options of `run` alone.
struct RunOptions {
  std::vector<std::string> patterns, excluded;
  std::string label, unfit, budget, seed, repeat_of, resume;
  std::string launcher, hosts;  // of ranks; empty: mpirun, and no file
  std::optional<int> processes;
  std::optional<int> ranks;  // expected
  bool strict = false, no_wait = false, dry_run = false, counters = false;
};

/// What a plan is of beside itself.
struct Origin {
  std::optional<present::RepeatedRun> repeated;  // that it repeats
  std::vector<std::string> gone;                 // of that run's cases
  std::optional<present::Resumed> resumed;       // what the run has already
  std::vector<std::string> doubts;               // about measuring now
};

/// Measures a plan whose run has begun in `store`, prints what came of it, and returns the exit
/// code.
int measure_plan(const Context& context, const RunOptions& options, const run::Plan& plan,
                 store::Store& store, Origin origin);

}  // namespace ridgeline::cli
