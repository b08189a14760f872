#pragma once

#include <cstddef>
#include <string>

#include "harness/emulated/program/rewriter/tokens.hpp"

namespace ridgeline::program {

/// What an asm statement becomes.
struct Translation {
  std::string text;     // C++ in one line: a statement without its semicolon
  std::string failure;  // what is not modelled; empty when all is
};

/// Of the tokens [first, end) between the brackets of asm(...). Instructions become calls of what
/// harness/emulated/program/ptx.hpp defines.
Translation translate_assembly(const Source& source, std::size_t first, std::size_t end);

}  // namespace ridgeline::program
