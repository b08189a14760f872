#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "harness/emulated/program/rewriter/ptx_instructions.hpp"

namespace ridgeline::program {

/// ldmatrix, stmatrix, movmatrix and mma.sync as C++; empty of anything else, or of a shape that is
/// not modelled. `shared(i, type)` is operand number i as a pointer into shared memory.
std::string tensor_instruction(
    const PtxStatement& of, const PtxOperands& operands,
    const std::function<std::string(std::size_t, const std::string&)>& shared);

}  // namespace ridgeline::program
