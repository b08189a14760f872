#pragma once

#include <string>

#include "harness/emulated/program/rewriter/ptx_instructions.hpp"

namespace ridgeline::program {

/// The C++ of an instruction that is more than arithmetic: loads and stores, atomics, barriers,
/// exchanges between lanes, copies, tensor cores. Empty when it is none, or is not modelled.
std::string memory_instruction(const PtxStatement& of, const PtxOperands& operands);

/// The value of `cvta`: an address in another of its forms.
std::string cvta_value(const PtxStatement& of, const PtxOperands& operands);

}  // namespace ridgeline::program
