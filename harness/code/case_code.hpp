#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "harness/base/device_kind.hpp"
#include "harness/code/comparison.hpp"

namespace ridgeline::code {

/// Which cases of two programs execute the same code. A program is one of Ridgeline's workers: its
/// suites and variants are functions that their names tell (docs/architecture.md).
class CaseCode {
 public:
  /// Reads both. Files that cannot be followed make every case different.
  CaseCode(const std::filesystem::path& baseline, const std::filesystem::path& candidate);

  /// Why the code of a case is not known to be the same on both sides; empty when it is. The code
  /// of a case is that of its variant, of its suite, and of all else that the program may execute
  /// meanwhile; it is not that of other variants, nor of other suites. A case that is not called
  /// after a variant counts as one that executes all of its suite's.
  std::string difference(std::string_view suite, std::string_view variant, DeviceKind kind);

 private:
  std::string unknown_;  // why neither can be compared; empty when they can
  std::unique_ptr<ProgramCode> baseline_, candidate_;
  std::unique_ptr<Comparison> comparison_;
};

}  // namespace ridgeline::code
