#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "harness/emulated/program/rewriter/tokens.hpp"

namespace ridgeline::program {

/// What an asm statement becomes.
struct Translation {
  std::string text;     // C++ in one line: a statement without its semicolon
  std::string failure;  // what is not modelled; empty when all is
};

/// Of the tokens [first, end) between the brackets of asm(...). Instructions become calls of what
/// harness/emulated/program/ptx.hpp defines. `word` is what a token of an operand becomes.
Translation translate_assembly(const Source& source, std::size_t first, std::size_t end,
                               const std::function<std::string(std::size_t)>& word);

}  // namespace ridgeline::program
