#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "harness/base/kept_files.hpp"
#include "harness/record/measurement.hpp"

namespace ridgeline::measure {

/// An output as the processes of a gate know it again: by a digest of all its bits.
class RightOutput {
 public:
  /// `what` tells everything that a verdict depends on beside the bits: the case and its inputs.
  RightOutput(KeptFiles& files, const std::string& what, std::span<const std::byte> bits);

  /// What an oracle found of it, here or in another process, when that was right; else none.
  std::optional<record::Verification> found() const;
  /// Keeps what an oracle has found, unless it is wrong.
  void keep(const record::Verification& found);

 private:
  KeptFiles& files_;
  std::string key_;
};

}  // namespace ridgeline::measure
