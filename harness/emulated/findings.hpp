#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/emulated/kernel_call.hpp"
#include "harness/emulated/report.hpp"

namespace ridgeline::emulated {

/// What is wrong with a kernel, by the blocks of one OS thread: of each check and place the first
/// instance.
class Findings {
 public:
  /// `arguments`: of the kernel, to tell which one leads to global memory.
  void begin_launch(std::span<const Argument> arguments) {
    *this = {};
    arguments_ = arguments;
  }
  void begin_block(std::uint64_t number) { block_ = static_cast<std::int64_t>(number); }
  /// `global`: the address of global memory that it is about, if any; `variable`: see Finding.
  Finding& add(const char* check, std::uint32_t pc, int thread, int other, std::string_view detail,
               std::uint64_t global = 0, std::uint64_t variable = 0);
  /// The same of what is no mistake.
  void note(const char* check, std::uint32_t pc, int thread, int other, std::string_view detail,
            std::uint64_t global = 0, std::uint64_t variable = 0) {
    std::swap(found_, notes_);
    add(check, pc, thread, other, detail, global, variable);
    std::swap(found_, notes_);
  }
  /// Counts a note that is known once more; false when it is not.
  bool notes_again(const char* check, std::uint32_t pc);
  /// The launch ends before its end.
  void stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }
  std::vector<Finding> take() { return std::exchange(found_, {}); }
  std::vector<Finding> take_notes() { return std::exchange(notes_, {}); }

 private:
  std::vector<Finding> found_, notes_;
  std::span<const Argument> arguments_;
  std::int64_t block_ = 0;
  bool stopped_ = false;
};

/// Makes one finding of those of one check, line and variable: an unrolled loop has one for each of
/// its accesses. Findings that name no variable are told apart by their details.
void merge_by_line(std::vector<Finding>& findings);

}  // namespace ridgeline::emulated
