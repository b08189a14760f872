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
  /// `believes`: the user has it that workers may say so themselves.
  explicit SameCode(bool believes) : believes_(believes) {}

  /// Whether a case does for certain: of copies of one program it does. Of others their files tell,
  /// where neither worker says anything of its code; where one does, both must say the same and be
  /// believed. All else counts as different.
  bool operator()(const run::Selected& baseline, const run::Selected& candidate);

 private:
  /// Whether both workers are copies of one program, and are started alike.
  bool are_copies(const run::Worker& baseline, const run::Worker& candidate);

  bool believes_;
  std::map<std::pair<std::filesystem::path, std::filesystem::path>, bool> copies_;
  std::map<std::pair<std::filesystem::path, std::filesystem::path>, code::CaseCode> programs_;
};

}  // namespace ridgeline::gate
