#pragma once

#include <filesystem>
#include <map>
#include <utility>

#include "harness/code/case_code.hpp"
#include "harness/run/selection.hpp"

namespace ridgeline::gate {

/// Finds the cases that execute the same code on both sides, so that measuring them could find
/// nothing but false alarms. Reads each pair of programs once.
class SameCode {
 public:
  /// Whether a case does for certain: both workers say the same of its code, or, where neither says
  /// anything, their files tell. What these do not tell counts as different.
  bool operator()(const run::Selected& baseline, const run::Selected& candidate);

 private:
  std::map<std::pair<std::filesystem::path, std::filesystem::path>, code::CaseCode> programs_;
};

}  // namespace ridgeline::gate
