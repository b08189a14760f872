#pragma once

#include <functional>
#include <string>

#include "harness/emulated/program/rewriter/ptx_text.hpp"

namespace ridgeline::program {

/// How an operand is written in C++.
struct PtxOperands {
  /// A value: a register, an operand of the asm statement, a number, a special register. Empty when
  /// it is not known.
  std::function<std::string(const std::string& operand)> value;
};

/// The C++ of an instruction, a statement without its semicolon; empty when it is not modelled.
std::string instruction_text(const PtxStatement& of, const PtxOperands& operands);

/// "std::uint32_t" of "u32"; empty of what is no type.
std::string ptx_type(const std::string& suffix);

}  // namespace ridgeline::program
