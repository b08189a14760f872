#pragma once

#include <filesystem>
#include <optional>

#include "harness/process/descriptor.hpp"
#include "harness/process/worker_process.hpp"
#include "harness/run/workers.hpp"

namespace ridgeline::gate {

/// Where the processes of a gate keep what oracles expect, so that each round does not compute it
/// again: a private folder, made when it is first needed and gone with this. Programs of other code
/// have their own part of it, because they may expect something else. A gate that was killed leaves
/// its folder to the next one that needs such a folder, which removes it. Where there can be no
/// folder, nothing is kept.
class ExpectedFolder {
 public:
  ExpectedFolder() = default;
  ExpectedFolder(const ExpectedFolder&) = delete;
  ~ExpectedFolder();

  /// What a process of `worker` is told.
  process::Variables variables(const run::Worker& worker);

 private:
  /// A folder that its owner has locked, for as long as it lives.
  struct Owned {
    std::filesystem::path path;
    process::Descriptor lock;
  };
  static std::optional<Owned> make(const std::filesystem::path& temporary);

  bool tried_ = false;
  std::optional<Owned> folder_;
};

}  // namespace ridgeline::gate
