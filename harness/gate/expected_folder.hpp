#pragma once

#include <filesystem>

#include "harness/process/worker_process.hpp"
#include "harness/run/workers.hpp"

namespace ridgeline::gate {

/// Where the processes of a gate keep what oracles expect, so that each round does not compute it
/// again: a private folder, gone with this. Programs of other code have their own part of it,
/// because they may expect something else. A gate that was killed leaves its folder to the next
/// one, which removes it. Where there can be no folder, nothing is kept.
class ExpectedFolder {
 public:
  ExpectedFolder();
  ExpectedFolder(const ExpectedFolder&) = delete;
  ~ExpectedFolder();

  /// What a process of `worker` is told.
  process::Variables variables(const run::Worker& worker) const;

 private:
  std::filesystem::path path_;
};

}  // namespace ridgeline::gate
