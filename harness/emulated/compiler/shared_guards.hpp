#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace ridgeline::emulated {

/// Bytes of room that a command of the compiler asks for, by -DRIDGELINE_SHARED_GUARD=1024; else so
/// many that the variables of hundreds of kernels in one program still have addresses of 20 bits.
int guard_bytes_of(const std::vector<std::string>& command);

/// Copies what a compiler made for the assembler, with free room behind every variable outside of
/// functions: a kernel that runs past the end of a __shared__ or __device__ array must not reach
/// the next variable, nor what the emulated device itself keeps for its thread. The room is a
/// symbol of its own (SharedVariables knows it by its name), which also tells shared variables from
/// other thread-local ones.
void add_shared_guards(std::istream& assembly, std::ostream& guarded, int guard_bytes);

}  // namespace ridgeline::emulated
