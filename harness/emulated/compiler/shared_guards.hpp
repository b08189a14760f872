#pragma once

#include <iosfwd>

namespace ridgeline::emulated {

/// Copies what a compiler made for the assembler, with free room behind every thread-local
/// variable: a kernel that runs past the end of a __shared__ array must not reach the next
/// variable, nor what the emulated device itself keeps for its thread. The room is a symbol of its
/// own (SharedVariables knows it by its name), which also tells shared variables from others.
void add_shared_guards(std::istream& assembly, std::ostream& guarded);

}  // namespace ridgeline::emulated
