#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridgeline::program {

/// A statement of PTX.
struct PtxStatement {
  enum class Kind { instruction, label, registers };
  Kind kind = Kind::instruction;
  std::string predicate;  // "p" of "@!p"
  bool negated = false;
  std::string text;                // the whole opcode "mov.u32"; the label; the type of registers
  std::vector<std::string> parts;  // of the opcode: "mov", "u32"
  std::vector<std::string> operands;  // or the names of registers
};

/// The statements of an asm template, with its braces, comments and line ends taken away. `failure`
/// says what cannot be read.
std::vector<PtxStatement> read_ptx(std::string_view text, std::string& failure);

/// "{%0, %1}" is "%0", "%1"; anything else is itself.
std::vector<std::string> elements_of(const std::string& operand);

}  // namespace ridgeline::program
